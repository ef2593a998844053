// The patterns of names: of challenge types and presets, of applications, and of challenge tokens.

/** The name of a challenge type or preset: 1 to 32 letters, digits, `_` or `-`, starting with a letter. */
export const NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,31}$';

const APPLICATION_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** The pattern of an application's name, in words that follow "must have". */
export const APPLICATION_NAME_FORM = 'a name of 1 to 64 letters, digits, _, . or -';

/** Returns whether a value is a valid name of an application. */
export function isApplicationName(value: unknown): value is string {
  return typeof value === 'string' && APPLICATION_NAME.test(value);
}

/** Characters of a token: two for the hash slot, 38 random ones (226 bits). */
export const TOKEN_CHARACTERS = 40;

/** The pattern of a token. */
export const TOKEN_PATTERN = '^[A-Za-z0-9]{40}$';

const TOKEN = new RegExp(TOKEN_PATTERN);

/** Returns whether a value is a well-formed token; nothing else reaches the store. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}
