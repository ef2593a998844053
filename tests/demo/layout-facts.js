// Runs in a page before its own code: `layoutFaults()` lists layout problems.

/** Rounding tolerance in pixels. */
const roundingPx = 1;

globalThis.layoutFaults = ({ calm = false } = {}) => {
  const elements = visibleElements(document);
  const things = elements.flatMap(thingsOf);
  return [
    ...widthFaults(things),
    ...elements.flatMap(cutFaults),
    ...overlapFaults(things),
    ...(calm ? redFaults(elements) : []),
  ];
};

/** All visible elements, also in shadow trees. */
function visibleElements(root) {
  return [...root.querySelectorAll('body *')]
    .concat(root === document ? [] : [...root.querySelectorAll('*')])
    .flatMap((element) => {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
      if (element.closest('.visually-hidden')) return [];
      return element.shadowRoot ? [element, ...visibleElements(element.shadowRoot)] : [element];
    });
}

/** Boxes that must not overlap: lines of an element's own text, controls and images. */
function thingsOf(element) {
  const name = nameOf(element);
  const things = [];
  if (element.matches('input, button, summary, img'))
    things.push({ element, name, box: element.getBoundingClientRect() });
  for (const node of element.childNodes) {
    if (node.nodeType !== Node.TEXT_NODE || node.data.trim() === '') continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width > 0) things.push({ element, name: `${name} “${node.data.trim().slice(0, 30)}”`, box });
    }
  }
  return things;
}

function widthFaults(things) {
  const { scrollWidth, clientWidth } = document.documentElement;
  const faults =
    scrollWidth > clientWidth ? [`the page scrolls sideways: ${scrollWidth} > ${clientWidth}`] : [];
  for (const { name, box, element } of things) {
    // Both scroll by themselves.
    if (element.closest('pre, .wide')) continue;
    if (box.left < -roundingPx || box.right > clientWidth + roundingPx)
      faults.push(`${name} reaches beyond the page`);
  }
  return faults;
}

/** An element that hides part of its content. Fields scroll their text, and documents scroll their tables. */
function cutFaults(element) {
  if (element.matches('input, .wide, pre, img, progress, svg, svg *')) return [];
  const { overflowX, overflowY } = getComputedStyle(element);
  const isCut =
    (overflowX !== 'visible' && element.scrollWidth > element.clientWidth + roundingPx) ||
    (overflowY !== 'visible' && element.scrollHeight > element.clientHeight + roundingPx);
  return isCut ? [`${nameOf(element)} is cut`] : [];
}

function overlapFaults(things) {
  const faults = new Set();
  // From top to bottom, because there are tens of thousands of pairs, and few at the same height.
  const sorted = things.toSorted((a, b) => a.box.top - b.box.top);
  sorted.forEach((one, at) => {
    for (let next = at + 1; next < sorted.length; next += 1) {
      const other = sorted[next];
      if (other.box.top >= one.box.bottom) break;
      if (!meet(one.box, other.box)) continue;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      // The eye button is inside the password field, which leaves room for it.
      if ([one, other].some(({ element }) => element.closest('.inside'))) continue;
      faults.add(`${one.name} overlaps ${other.name}`);
    }
  });
  return [...faults];
}

function meet(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  // Line boxes include space above and below the letters.
  return width > roundingPx && height > 0.3 * Math.min(a.height, b.height);
}

/** Red marks a problem. */
function redFaults(elements) {
  return elements.flatMap((element) => {
    const style = getComputedStyle(element);
    const colors = [style.color, style.backgroundColor, style.borderTopColor, style.fill, style.stroke];
    return colors.some(isRed) ? [`${nameOf(element)} is red`] : [];
  });
}

function isRed(color) {
  const [red, green, blue, opacity = 1] = (color.match(/^rgba?\((.+)\)$/)?.[1] ?? '').split(',').map(Number);
  return opacity > 0.1 && red > 100 && green < 0.55 * red && blue < 0.55 * red;
}

function nameOf(element) {
  const id = element.id ? `#${element.id}` : '';
  const kind = element.getAttribute('class')?.split(' ')[0];
  return element.localName + id + (kind ? `.${kind}` : '');
}
