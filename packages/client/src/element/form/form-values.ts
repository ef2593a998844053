// Writes the challenge fields and their validity into the form.
import type { Presenter } from '../view/presenter.js';
import { validate } from '../view/view-model.js';
import type { HiddenFields } from './hidden-fields.js';

/** What is written and where. */
export interface FormFilling {
  /** Null if the element has none. */
  readonly form: HTMLFormElement | null;
  /** By their names; none while the element is not ready or disabled. */
  readonly fields: Readonly<Record<string, string>>;
  /** See `validate`. */
  readonly holdsSubmit: boolean;
}

/** @returns whether everything that the next submission needs is in the form */
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
