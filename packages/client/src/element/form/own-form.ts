// Finds the form of an element, and reads a form whatever its controls are called.

/**
 * Returns the form's built-in members: a control with the name `method` or `addEventListener` hides that member of the
 * form itself.
 */
export function builtIn(form: HTMLFormElement): HTMLFormElement {
  return new Proxy(form, {
    get(_target, name) {
      const member = Reflect.get(HTMLFormElement.prototype, name, form);
      return typeof member === 'function' ? member.bind(form) : member;
    },
  });
}

/** Returns the form around a node, also across shadow roots and slots; null if there is none. */
export function formAround(node: Node): HTMLFormElement | null {
  for (const at of pathOf(node)) if (at instanceof HTMLFormElement) return at;
  return null;
}

/** Returns a node and all around it, also across shadow roots and slots. */
export function* pathOf(node: Node): Generator<Node> {
  for (let at: Node | null = node; at !== null; at = parentOf(at)) yield at;
}

function parentOf(node: Node): Node | null {
  return (
    (node as Partial<Element>).assignedSlot ?? node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null
  );
}
