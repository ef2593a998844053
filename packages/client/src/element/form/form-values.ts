// Writes the challenge fields and their validity into the form.
import type { Presenter } from '../view/presenter.js';
import { validate } from '../view/view-model.js';
import type { HiddenFields } from './hidden-fields.js';

/** Values to write, and their target. */
interface FormFilling {
  /** Null without a form. */
  readonly form: HTMLFormElement | null;
  /** Fields by name; empty while the element is disabled or not ready. */
  readonly fields: Readonly<Record<string, string>>;
  /** See `validate`. */
  readonly holdsSubmit: boolean;
}

/** @returns whether all fields of the next submission are in the form */
export function fillForm(
  internals: ElementInternals,
  hidden: HiddenFields,
  { view, model }: Presenter,
  { form, fields, holdsSubmit }: FormFilling,
): boolean {
  hidden.write(form, fields);
  const input = view.image?.input;
  const invalid = validate(model, input?.value ?? '', holdsSubmit);
  if (invalid === null) internals.setValidity({});
  else {
    const anchor = (invalid.anchor === 'answer' && input) || view.status;
    internals.setValidity(invalid.flags, invalid.message, anchor);
  }
  return invalid === null && model.state.status === 'ready';
}
