// The form of the names of kinds and presets.

/** 1 to 32 letters, digits, `_` or `-`, a letter first. */
export const NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,31}$';

const APPLICATION_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** What a name that is none must have, as words that follow its place. */
export const APPLICATION_NAME_FORM = 'a name of 1 to 64 letters, digits, _, . or -';

/** Says whether a value has the form; what is no text has not. */
export function isApplicationName(value: unknown): value is string {
  return typeof value === 'string' && APPLICATION_NAME.test(value);
}

/** Characters of a token: two that choose the hash slot, 38 random ones (226 bits). */
export const TOKEN_CHARACTERS = 40;

/** The form of a token, for schemas and checks. */
export const TOKEN_PATTERN = '^[A-Za-z0-9]{40}$';

const TOKEN = new RegExp(TOKEN_PATTERN);

/** Says whether a value could be a token; nothing else is ever looked up. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}
