// The form of a host's name, under which its accounts are counted.

const HOST_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** What a name that is none must have, as words that follow its place. */
export const HOST_NAME_FORM = 'a name of 1 to 64 letters, digits, _, . or -';

/** Says whether a value has the form; what is no text has not. */
export function isHostName(value: unknown): value is string {
  return typeof value === 'string' && HOST_NAME.test(value);
}
