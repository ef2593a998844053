// Makes nodes of the shadow tree, without any markup in text.

const svgNamespace = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** An HTML element with its attributes and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

/** An SVG element. */
export function makeSvg(name: string, attributes: Attributes, ...children: Node[]): SVGElement {
  const node = document.createElementNS(svgNamespace, name) as SVGElement;
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

/** Sets the text of a node when it differs, so that nothing is said or drawn twice. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

function setAttributes(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? '' : String(value));
  }
}
