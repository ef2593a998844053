// Keeps the submit buttons of a form disabled, and gives them back as they were.

/** The value of `disabled` that says who wrote it: a button that the page itself disables has another. */
const mark = 'until-ready';

type SubmitButton = HTMLButtonElement | HTMLInputElement;

export interface SubmitButtons {
  /** Disables, or gives back, every submit button of the form, those to come included. */
  hold(isHeld: boolean): void;
  /** Gives them back and looks no longer. */
  release(): void;
}

/**
 * @param form its buttons with `formnovalidate` or `formmethod="dialog"` are left alone: they send nothing that is checked
 */
export function holdSubmitButtons(form: HTMLFormElement): SubmitButtons {
  // Not known yet: a form that was copied, or kept by the page as it was, may hold buttons that bear the mark.
  let isHeld: boolean | undefined;
  /** Buttons that had the focus when they were to be disabled, which would have taken it from them. */
  const focused = new Map<SubmitButton, string | null>();
  // The page may add buttons, or enable one that is held: its wish comes true when the form is ready.
  const observer = new MutationObserver(apply);

  function apply(): void {
    observer.disconnect();
    const buttons = submitButtonsOf(form);
    for (const button of buttons) if (isHeld) disable(button);
    if (!isHeld) return;
    observer.observe(form, { subtree: true, childList: true, attributeFilter: ['disabled', 'type'] });
    for (const button of buttons) {
      if (!form.contains(button)) observer.observe(button, { attributeFilter: ['disabled'] });
    }
  }

  function disable(button: SubmitButton): void {
    if (button.disabled || focused.has(button)) return;
    if ((button.getRootNode() as Document | ShadowRoot).activeElement !== button) {
      button.setAttribute('disabled', mark);
      return;
    }
    focused.set(button, button.ariaDisabled);
    button.ariaDisabled = 'true';
    button.addEventListener('blur', onBlur);
  }

  function onBlur({ target }: Event): void {
    letGo(target as SubmitButton);
    if (isHeld) disable(target as SubmitButton);
  }

  function letGo(button: SubmitButton): void {
    const before = focused.get(button);
    if (before === undefined) return;
    focused.delete(button);
    button.removeEventListener('blur', onBlur);
    button.ariaDisabled = before;
  }

  function hold(next: boolean): void {
    if (next === isHeld) return;
    isHeld = next;
    if (!isHeld) {
      for (const button of focused.keys()) letGo(button);
      for (const button of submitButtonsOf(form)) {
        if (button.getAttribute('disabled') === mark) button.removeAttribute('disabled');
      }
    }
    apply();
  }

  return { hold, release: () => hold(false) };
}

/** The buttons that send this form, in the order of the page. Those of images are missing in `form.elements`. */
export function submittersOf(form: HTMLFormElement): SubmitButton[] {
  const root = form.getRootNode() as ParentNode & Node;
  return [...root.querySelectorAll<SubmitButton>('button, input')].filter(
    (button) => button.form === form && (button.type === 'submit' || button.type === 'image'),
  );
}

/** Those of them that send what is checked. */
function submitButtonsOf(form: HTMLFormElement): SubmitButton[] {
  return submittersOf(form).filter(
    (button) => !button.formNoValidate && button.getAttribute('formmethod')?.toLowerCase() !== 'dialog',
  );
}
