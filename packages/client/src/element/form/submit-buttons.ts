// Disables the submit buttons of a form, and restores them.

import { builtIn } from './own-form.js';

/** Value of `disabled` set by the element; buttons disabled by the page have another. */
const marker = 'until-ready';

type SubmitButton = HTMLButtonElement | HTMLInputElement;

interface SubmitButtons {
  /** Disables or restores all submit buttons of the form, including those added later. */
  disable(isDisabled: boolean): void;
  /** Restores the buttons and stops observing the form. */
  release(): void;
}

/**
 * @param form its buttons with `formnovalidate` or `formmethod="dialog"` are ignored: they do not require the fields
 */
export function controlSubmitButtons(form: HTMLFormElement): SubmitButtons {
  // Undefined at first, because a copied or restored form may contain buttons with the marker.
  let isDisabled: boolean | undefined;
  /** Focused buttons, which would lose the focus if disabled, with their previous `aria-disabled`. */
  const focused = new Map<SubmitButton, string | null>();
  // The page may add buttons or enable a disabled one: that takes effect when the form is ready.
  const observer = new MutationObserver(apply);

  function apply(): void {
    observer.disconnect();
    const buttons = checkedButtonsOf(form);
    for (const button of buttons) if (isDisabled) disableOne(button);
    if (!isDisabled) return;
    observer.observe(form, { subtree: true, childList: true, attributeFilter: ['disabled', 'type'] });
    for (const button of buttons) {
      if (!builtIn(form).contains(button)) observer.observe(button, { attributeFilter: ['disabled'] });
    }
  }

  function disableOne(button: SubmitButton): void {
    if (button.disabled || focused.has(button)) return;
    if ((button.getRootNode() as Document | ShadowRoot).activeElement !== button) {
      button.setAttribute('disabled', marker);
      return;
    }
    focused.set(button, button.ariaDisabled);
    button.ariaDisabled = 'true';
    button.addEventListener('blur', onBlur);
  }

  function onBlur({ target }: Event): void {
    restoreFocused(target as SubmitButton);
    if (isDisabled) disableOne(target as SubmitButton);
  }

  function restoreFocused(button: SubmitButton): void {
    const before = focused.get(button);
    if (before === undefined) return;
    focused.delete(button);
    button.removeEventListener('blur', onBlur);
    button.ariaDisabled = before;
  }

  function disable(next: boolean): void {
    if (next === isDisabled) return;
    isDisabled = next;
    if (!isDisabled) {
      for (const button of focused.keys()) restoreFocused(button);
      for (const button of checkedButtonsOf(form)) {
        if (button.getAttribute('disabled') === marker) button.removeAttribute('disabled');
      }
    }
    apply();
  }

  return { disable, release: () => disable(false) };
}

/** Returns the form's submit buttons in page order. `form.elements` lacks image buttons. */
export function submittersOf(form: HTMLFormElement): SubmitButton[] {
  const root = builtIn(form).getRootNode() as ParentNode & Node;
  return [...root.querySelectorAll<SubmitButton>('button, input')].filter(
    (button) => button.form === form && (button.type === 'submit' || button.type === 'image'),
  );
}

/** Returns the submit buttons whose submission requires the fields. */
function checkedButtonsOf(form: HTMLFormElement): SubmitButton[] {
  return submittersOf(form).filter(
    (button) => !button.formNoValidate && button.getAttribute('formmethod')?.toLowerCase() !== 'dialog',
  );
}
