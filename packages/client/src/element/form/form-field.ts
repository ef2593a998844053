// Base class of a form-associated element, with the properties and methods of HTML form fields.

import { formAround } from './own-form.js';

// Servers that render pages can import this module without a DOM.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/** Implements the form field API with `ElementInternals`. */
export abstract class FormField extends Base {
  static readonly formAssociated = true;

  protected readonly internals: ElementInternals;

  constructor() {
    super();
    this.internals = this.attachInternals();
  }

  /** The browser searches the element's own tree only. */
  get form(): HTMLFormElement | null {
    return this.internals.form ?? formAround(this);
  }

  get validity(): ValidityState {
    return this.internals.validity;
  }

  get validationMessage(): string {
    return this.internals.validationMessage;
  }

  get willValidate(): boolean {
    return this.internals.willValidate;
  }

  get disabled(): boolean {
    return this.hasAttribute('disabled');
  }

  set disabled(isDisabled: boolean) {
    this.toggleAttribute('disabled', isDisabled);
  }

  /** Reflects the attribute. On other elements it is read-only, and frameworks set any property that exists. */
  override get prefix(): string | null {
    return this.getAttribute('prefix');
  }

  override set prefix(prefix: string | null | undefined) {
    if (prefix == null) this.removeAttribute('prefix');
    else this.setAttribute('prefix', prefix);
  }

  /** Clears the typed answer. */
  abstract formResetCallback(): void;

  /** Restores nothing: the typed answer belonged to a previous image. */
  formStateRestoreCallback(): void {
    this.formResetCallback();
  }

  /** Reassigns properties set by a script before the element was defined: they hide the accessors. */
  protected restoreProperties(names: readonly (keyof this)[]): void {
    for (const name of names) {
      if (!Object.hasOwn(this, name)) continue;
      const early = this[name];
      Reflect.deleteProperty(this, name);
      this[name] = early;
    }
  }

  checkValidity(): boolean {
    return this.internals.checkValidity();
  }

  reportValidity(): boolean {
    return this.internals.reportValidity();
  }
}
