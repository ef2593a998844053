// Script parameters: the service address, and the query of the script's own tag.

/**
 * Service address with prefix, without a trailing slash; the service inserts it when it serves the file. The tag's
 * address is not reliable: another server may have forwarded the file.
 */
const serviceAddress = 'https://service-address.invalid';

/** The parameters of `api.js`; others are ignored. */
export interface ScriptParameters {
  readonly service: string;
  /** `onload`, `explicit`, or a site key. */
  readonly render: string;
  /** The name of a global function. */
  readonly onload: string | undefined;
  /** Default language of widgets. */
  readonly language: string | undefined;
  /** Whether hCaptcha's script also replaces reCAPTCHA's. */
  readonly compat: boolean;
}

/** Reads the tag of the running script; call it synchronously. */
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

/** Returns a text that is set: clients also write `undefined` and `null` into addresses. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  return ['', 'undefined', 'null'].includes(text) ? undefined : text;
}
