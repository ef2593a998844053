// Reads fields of a submitted form, in the form of any framework.

/**
 * A submitted form: a web `Request`, which stays readable, `FormData`, `URLSearchParams`, an object with the fields, or the
 * text of a body (a form or a JSON object).
 */
export type FormInput = Request | FormData | URLSearchParams | object | string | null | undefined;

/** A form that was read. */
export interface SubmittedForm {
  /** The only text under each name; empty if there is none, several, something else, or a long one. */
  readonly fields: Readonly<Record<string, string>>;
  /** Empty without a `Request`. */
  readonly headers: Headers;
}

/** No challenge field is longer. */
const MAX_CHARACTERS = 2048;

/**
 * Reads a form. One that cannot be parsed has no fields.
 * @throws Error if the body of the request was read before
 */
export async function readForm(input: FormInput, names: readonly string[]): Promise<SubmittedForm> {
  let form: unknown = input;
  let headers = new Headers();
  let copy: Request | undefined;
  if (has(input, 'formData')) {
    if (input.bodyUsed || input.body?.locked) throw new Error('The request was already read');
    ({ headers } = input);
    // The application can still read the original.
    copy = input.clone();
  }
  try {
    if (copy) {
      const isMultipart = /^multipart/i.test(`${headers.get('content-type')}`);
      form = await (isMultipart ? copy.formData() : copy.text());
    }
    if (typeof form === 'string') {
      const text = form.trim();
      form = text.startsWith('{') ? JSON.parse(text) : new URLSearchParams(text);
    }
  } catch {
    form = null;
  }
  return { headers, fields: Object.fromEntries(names.map((name) => [name, fieldOf(form, name)])) };
}

function fieldOf(form: unknown, name: string): string {
  // A copy has own properties alone.
  const values = has(form, 'getAll') ? form.getAll(name) : [{ ...(form as Record<string, unknown>) }[name]];
  const [value, ...more] = values;
  return typeof value === 'string' && value.length <= MAX_CHARACTERS && more.length < 1 ? value : '';
}

interface Methods {
  readonly formData: Request;
  readonly getAll: { getAll(name: string): readonly unknown[] };
}

/** Not with `instanceof`: a framework may have classes of its own. */
function has<Name extends keyof Methods>(value: unknown, name: Name): value is Methods[Name] {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function';
}
