// What every form-associated element has in common with the fields of HTML.

// Where there is no DOM, as on a server that renders pages, the module can be loaded all the same.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/** The properties and methods of a form field, over `ElementInternals`. */
export abstract class FormField extends Base {
  static readonly formAssociated = true;

  protected readonly internals: ElementInternals;

  constructor() {
    super();
    this.internals = this.attachInternals();
  }

  get form(): HTMLFormElement | null {
    return this.internals.form;
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

  /** The attribute: of every other element it is read-only, and frameworks set as a property whatever there is. */
  override get prefix(): string | null {
    return this.getAttribute('prefix');
  }

  override set prefix(prefix: string | null | undefined) {
    if (prefix == null) this.removeAttribute('prefix');
    else this.setAttribute('prefix', prefix);
  }

  checkValidity(): boolean {
    return this.internals.checkValidity();
  }

  reportValidity(): boolean {
    return this.internals.reportValidity();
  }
}
