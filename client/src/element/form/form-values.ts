// Writes the challenge fields and their validity into the form.
import type { Presenter } from '../view/presenter.js';
import { validate } from '../view/view-model.js';

/**
 * @param fields by their names; none while the element is not ready
 * @param holdsSubmit see `validate`
 * @returns whether everything that the next submission needs is in the form
 */
export function fillForm(
  internals: ElementInternals,
  fields: Readonly<Record<string, string>>,
  { view, model }: Presenter,
  holdsSubmit: boolean,
): boolean {
  const entries = Object.entries(fields);
  const data = new FormData();
  for (const [name, value] of entries) data.set(name, value);
  // Without a state, because a browser that restores the form would keep the tokens.
  internals.setFormValue(entries.length === 0 ? null : data, null);
  const input = view.image?.input;
  const invalid = validate(model, input?.value ?? '', holdsSubmit);
  if (invalid === null) internals.setValidity({});
  else {
    const anchor = (invalid.anchor === 'answer' && input) || view.status;
    internals.setValidity(invalid.flags, invalid.message, anchor);
  }
  return invalid === null && model.state.status === 'ready';
}
