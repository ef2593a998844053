// Finds an element's form, and reads forms whose control names hide built-in members.

/**
 * Returns the form's built-in members: a control named `method` or `addEventListener` hides that member of the form.
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

/** Returns a node and its ancestors, also across shadow roots and slots. */
export function* pathOf(node: Node): Generator<Node> {
  for (let at: Node | null = node; at !== null; at = parentOf(at)) yield at;
}

function parentOf(node: Node): Node | null {
  return (
    (node as Partial<Element>).assignedSlot ?? node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null
  );
}
