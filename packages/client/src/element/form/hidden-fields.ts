// Adds the challenge fields to the form as hidden inputs, which every form library finds.

/** Marks the inputs, so that a cloned element removes those of the original. */
const marker = 'data-tollgate';

export interface HiddenFields {
  /** @param form null if there is none: then no inputs are added */
  write(form: HTMLFormElement | null, fields: Readonly<Record<string, string>>): void;
  /** Stops observing; the next `write` starts again. */
  stop(): void;
}

/**
 * Until the page has loaded or is in use, the fields are the value of the form-associated element instead: frameworks
 * report nodes that the server did not render as a hydration mismatch.
 *
 * @param onRead called when a script reads the value of an input
 */
export function createHiddenFields(
  element: HTMLElement,
  internals: ElementInternals,
  onRead: () => void,
): HiddenFields {
  const inputs = new Map<string, HTMLInputElement>();
  // A DOM morph removes nodes that the server did not render.
  const observer = new MutationObserver(() => {
    // Not at once: a script that removes them each time must not freeze the page.
    setTimeout(() => write(last.form, last.fields));
  });
  let last: { form: HTMLFormElement | null; fields: Readonly<Record<string, string>> } = {
    form: null,
    fields: {},
  };
  let isHydrated = document.readyState === 'complete';
  let listening: AbortController | undefined;

  function followPage(): void {
    if (listening !== undefined) return;
    listening = new AbortController();
    const { signal } = listening;
    if (!isHydrated) {
      for (const name of ['load', 'pointerdown', 'keydown', 'click', 'submit'])
        window.addEventListener(name, begin, { signal, capture: true });
    }
    // Browsers restore typed values only into a form with the same controls as before.
    window.addEventListener('pagehide', hide, { signal });
  }

  function hide(): void {
    observer.disconnect();
    for (const input of inputs.values()) input.remove();
  }

  function begin(): void {
    if (isHydrated) return;
    isHydrated = true;
    write(last.form, last.fields);
  }

  function write(form: HTMLFormElement | null, fields: Readonly<Record<string, string>>): void {
    last = { form, fields };
    observer.disconnect();
    if (form !== null) followPage();
    const usesInputs = form !== null && (isHydrated || internals.form === null);
    setValue(usesInputs ? {} : fields);
    // In an element outside of the form, or in another tree, an input does not belong to the form.
    const parent: Element = usesInputs && !Node.prototype.contains.call(form, element) ? form : element;
    writeInputs(parent, usesInputs ? fields : {});
    if (inputs.size > 0) observer.observe(parent, { childList: true });
  }

  function setValue(fields: Readonly<Record<string, string>>): void {
    const entries = Object.entries(fields);
    const data = new FormData();
    for (const [name, value] of entries) data.set(name, value);
    // Without a state: browsers would store the tokens to restore the form.
    internals.setFormValue(entries.length === 0 ? null : data, null);
  }

  function writeInputs(parent: Element, fields: Readonly<Record<string, string>>): void {
    for (const [name, input] of inputs) {
      if (name in fields && input.parentNode === parent && input.name === name) continue;
      inputs.delete(name);
      if (input.name === name) input.remove();
    }
    const own = new Set<Element>(inputs.values());
    for (const child of childrenOf(parent)) {
      if (child.hasAttribute(marker) && !own.has(child)) child.remove();
    }
    for (const [name, value] of Object.entries(fields)) {
      const input = inputs.get(name) ?? append(parent, name);
      // Not by its property, which counts as a read.
      if (input.getAttribute('value') !== value) input.setAttribute('value', value);
    }
  }

  function append(parent: Element, name: string): HTMLInputElement {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.setAttribute('autocomplete', 'off');
    input.setAttribute(marker, '');
    Object.defineProperty(input, 'value', {
      get(this: HTMLInputElement) {
        onRead();
        return this.getAttribute('value') ?? '';
      },
      // A page that clears all inputs or restores a draft must not change these.
      set: () => undefined,
    });
    Node.prototype.appendChild.call(parent, input);
    inputs.set(name, input);
    return input;
  }

  return {
    write,
    stop() {
      observer.disconnect();
      listening?.abort();
      listening = undefined;
    },
  };
}

/** Returns the children of an element, even of a form with a control named `children`. */
function childrenOf(parent: Element): Element[] {
  return [...(Reflect.get(Element.prototype, 'children', parent) as HTMLCollection)];
}
