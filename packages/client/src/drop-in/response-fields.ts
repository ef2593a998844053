// The fields with the token, which stand in the container so that its form sends them.

/** A field, by the name in the form. */
export interface FieldPlan {
  readonly name: string;
  readonly element: 'textarea' | 'input';
  /** Whether its id is its name as well, as long as no other element has that id. */
  readonly hasId: boolean;
}

export interface ResponseFields {
  /** Empties the fields with `''`. */
  set(token: string): void;
  remove(): void;
}

/** Adds the fields to the end of the container. */
export function createFields(container: HTMLElement | null, plans: readonly FieldPlan[]): ResponseFields {
  const fields = container === null ? [] : plans.map((plan) => createField(container, plan));
  return {
    set(token) {
      for (const field of fields) field.value = token;
    },
    remove() {
      for (const field of fields) field.remove();
    },
  };
}

function createField(container: HTMLElement, { name, element, hasId }: FieldPlan) {
  const { ownerDocument: page } = container;
  const field = page.createElement(element);
  if (field instanceof HTMLInputElement) field.type = 'hidden';
  field.name = name;
  if (hasId) field.id = freeId(page, name);
  field.style.display = 'none';
  // Browsers would otherwise fill in the token of an earlier visit.
  field.autocomplete = 'off';
  field.ariaHidden = 'true';
  container.append(field);
  return field;
}

/** The first has the name itself, further ones a number behind it. */
function freeId(page: Document, name: string): string {
  let id = name;
  for (let index = 1; page.getElementById(id) !== null; index += 1) id = `${name}-${index}`;
  return id;
}
