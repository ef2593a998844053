// Creates nodes of the shadow tree without parsing markup.

const svgNamespace = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Creates an HTML element with its attributes and children. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

/** Creates an SVG element. */
export function createSvg(name: string, attributes: Attributes, ...children: Node[]): SVGElement {
  const node = document.createElementNS(svgNamespace, name) as SVGElement;
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

/** Sets the text of a node only if it differs, so that nothing is announced or drawn twice. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

function setAttributes(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? '' : String(value));
  }
}
