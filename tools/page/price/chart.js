// The price chart: a stair for each failure, up to the ceiling, with a marker at the price of the next attempt.
import { find } from '../find.js';
import { compactCount } from '../format.js';
import { translate } from '../i18n.js';
import { stairAt, stairsOf } from './price-terms.js';

/** In pixels at the font size below; all but the gap grow with the font. */
const space = { top: 30, bottom: 24, gap: 3, text: 7 };
/** Minimum height of a stair, so that the first is no flat line. */
const leastStair = 16;
/** Width of a stair's label. */
const labelWidth = 52;
const fontSize = 13;

/** @param {import('./price-terms.js').PriceTerms} terms */
export function createChart(terms) {
  const svg = shape('svg', { role: 'img' });
  find('chart').append(svg);
  const stairs = stairsOf(terms);
  const { image_after: imageAfter, ceiling } = terms;
  const hasImage = imageAfter < stairs.length;
  let bits;

  const words = [
    translate('chart_words'),
    ...(hasImage ? [translate('chart_image', { count: imageAfter })] : []),
  ];
  find('chart-words').textContent = words.join(' ');

  function draw() {
    const { clientWidth: width, clientHeight: height } = svg;
    if (width === 0 || height === 0) return;
    const isMirrored = document.documentElement.dir === 'rtl';
    const scale = Number.parseFloat(getComputedStyle(svg).fontSize) / fontSize;
    const stairWidth = width / stairs.length;
    const every = Math.ceil((labelWidth * scale) / stairWidth);
    const bottom = height - space.bottom * scale;
    const top = (value) => {
      const share = (value - stairs[0]) / Math.max(1, ceiling - stairs[0]);
      return bottom - leastStair - share * (bottom - leastStair - space.top * scale);
    };
    const left = (at) => (isMirrored ? width - (at + 1) * stairWidth : at * stairWidth) + space.gap / 2;
    const now = bits === undefined ? -1 : stairAt(stairs, bits);
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    svg.replaceChildren(line('ceiling', 0, width, top(ceiling)));
    // Above all stairs, because a large label is wider than its own.
    const labels = [];
    stairs.forEach((stair, at) => {
      const x = left(at);
      const y = top(stair);
      const kind = at === now ? 'stair now' : at < now ? 'stair passed' : 'stair';
      const box = { x, y, width: stairWidth - space.gap, height: bottom - y, rx: 4 };
      const middle = x + box.width / 2;
      svg.append(shape('rect', { class: kind, ...box }));
      if (at % every === 0 || at === now) {
        labels.push(
          label(at === now ? 'tries now' : 'tries', middle, y - space.text * scale, compactCount(2 ** stair)),
        );
      }
      if (at % every === 0) labels.push(label('failures', middle, height - space.text * scale, String(at)));
      if (at >= imageAfter && box.width >= 20)
        svg.append(picture(middle, bottom - leastStair / 2, at === now));
    });
    svg.append(...labels);
    if (now >= 0) svg.append(line('at', 0, width, top(Math.min(bits, ceiling))));
  }

  function describe() {
    const steps = stairs
      .map((stair, failures) => translate('chart_step', { failures, bits: stair }))
      .join(', ');
    const current = bits === undefined ? '' : translate('chart_now', { bits });
    svg.ariaLabel = `${translate('chart_label', { steps, ceiling })} ${current}`.trim();
  }

  describe();
  draw();
  // The block and not the picture in it: its size depends on window and text alone. In the next frame, because an observer
  // must not change sizes.
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(find('chart'));
  return {
    /** Moves the marker. @param {number} difficulty in bits */
    show(difficulty) {
      if (bits === difficulty) return;
      bits = difficulty;
      describe();
      draw();
    },
  };
}

function shape(name, attributes) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function line(kind, x1, x2, y) {
  return shape('line', { class: kind, x1, x2, y1: y, y2: y });
}

function label(kind, x, y, text) {
  const node = shape('text', { class: kind, x, y, 'text-anchor': 'middle' });
  node.textContent = text;
  return node;
}

/** A small image with a hill and a sun. */
function picture(x, y, isOn) {
  const group = shape('g', {
    class: isOn ? 'picture on' : 'picture',
    transform: `translate(${x - 8} ${y - 6})`,
  });
  group.append(
    shape('rect', { width: 16, height: 12, rx: 2 }),
    shape('path', { d: 'M2 10l4-5 3 3.4 2-2 3 3.6z' }),
    shape('circle', { cx: 11.5, cy: 3.6, r: 1.2 }),
  );
  return group;
}
