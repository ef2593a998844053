const escaped = (text: unknown) =>
  String(text ?? '').replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

interface Refused {
  readonly email?: unknown;
  readonly text?: unknown;
  readonly message?: string;
  /** Attributes of the element. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The form; after a refusal with its message and the element's attributes. */
export function contactPage({ email, text, message, attributes = {} }: Refused): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `<!doctype html>
<html lang="en">
<title>Contact</title>
<script type="module" src="/api/captcha/tollgate.js"></script>
<p role="alert">${escaped(message)}</p>
<form method="post" action="/contact">
  <p><label>E-mail <input name="email" type="email" value="${escaped(email)}" required></label></p>
  <p><label>Your message <textarea name="text" required>${escaped(text)}</textarea></label></p>
  <tollgate-challenge ${pairs.join(' ')}></tollgate-challenge>
  <button>Send</button>
</form>`;
}
