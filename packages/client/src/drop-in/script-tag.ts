// What the script knows when it begins: the address of the service, and the parameters of its own tag.

/**
 * The address of the service with its prefix, without a slash at its end: the service puts it here when it serves the
 * file. It cannot be taken from the tag, because another server may have passed the file on.
 */
const serviceAddress = 'https://service-address.invalid';

/** The parameters of `api.js`; others are ignored. */
export interface ScriptParameters {
  readonly service: string;
  /** `onload`, `explicit`, or a site key. */
  readonly render: string;
  /** The name of a global function. */
  readonly onload: string | undefined;
  /** The language of widgets that name none. */
  readonly language: string | undefined;
  /** Whether hCaptcha's script also stands in for reCAPTCHA's. */
  readonly compat: boolean;
}

/** Reads the tag of the running script; call it before anything asynchronous. */
export function readScriptTag(): ScriptParameters {
  const { src = '' } = (document.currentScript ?? {}) as Partial<HTMLScriptElement>;
  const query = src === '' ? new URLSearchParams() : new URL(src, document.baseURI).searchParams;
  const text = (name: string) => textOf(query.get(name));
  return {
    service: serviceAddress,
    render: text('render') ?? 'onload',
    onload: text('onload'),
    language: text('hl'),
    compat: text('recaptchacompat') !== 'off',
  };
}

/** Returns a text that is given: clients write `undefined` and `null` into addresses, too. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  return ['', 'undefined', 'null'].includes(text) ? undefined : text;
}
