// Token fields in the container, sent with its form.

/** Field with its form name. */
export interface FieldPlan {
  readonly name: string;
  readonly element: 'textarea' | 'input';
  /** Whether to use the name as id too, if no other element has that id. */
  readonly hasId: boolean;
}

export interface ResponseFields {
  /** `''` empties the fields. */
  set(token: string): void;
  remove(): void;
}

/** Appends the fields to the container. */
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
  // Otherwise browsers fill in the token of an earlier visit.
  field.autocomplete = 'off';
  field.ariaHidden = 'true';
  container.append(field);
  return field;
}

/** The first field has the name itself, further ones a numeric suffix. */
function freeId(page: Document, name: string): string {
  let id = name;
  for (let index = 1; page.getElementById(id) !== null; index += 1) id = `${name}-${index}`;
  return id;
}
