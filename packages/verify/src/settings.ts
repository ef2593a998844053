// Checks the settings of a verifier.

/** An address without a password in it. */
export const ADDRESS = /^https?:[^\s@]+$/;
/** Other characters, such as a line break at the end, cannot be sent in a header. */
export const PRINTABLE_ASCII = /^[!-~]+$/;

/** @throws TypeError without the value, which may be a secret */
export function check(name: string, value: string | URL | undefined, pattern: RegExp): string {
  const text = String(value ?? '');
  if (!pattern.test(text)) throw new TypeError(`Invalid ${name}`);
  return text;
}
