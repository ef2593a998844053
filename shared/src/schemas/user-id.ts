// The id of a user: a number or a string, and its canonical string in keys, records, paths and headers.

import { type Static, Type } from '@sinclair/typebox';

/** Length of the longest text id. */
export const MAX_USER_ID_CHARACTERS = 64;

/** The digits of a number. No text id consists of these, so `String(id)` is unambiguous. */
const NUMBER = '[0-9]{1,16}';

/**
 * Strings that other programs read as a number, such as `-1`, `1.5`, `1e5` or `0x1A`. More digits than a number has are a
 * string: long hexadecimal ids may have one `e` among digits, and wallet addresses begin with `0x`.
 */
const LOOKS_LIKE_NUMBER = `-?(?:(?:${NUMBER}(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,4})?|0[xX][0-9A-Fa-f]{1,16}|0[oO][0-7]{1,16}|0[bB][01]{1,16})`;

/**
 * ASCII without white space, quotes, brackets and separators of keys, records, paths or headers. Excluded: `.` and `..`,
 * which URLs resolve, `-`, which means "none" in records, and strings that other programs read as a number.
 */
const TEXT = `(?!${LOOKS_LIKE_NUMBER}$)(?=[^A-Za-z0-9]*[A-Za-z0-9])[A-Za-z0-9_-][A-Za-z0-9._~@|+-]{0,${MAX_USER_ID_CHARACTERS - 1}}`;

/** The id of a user as in the directory: a number stays a number on the wire, a string a string. */
export const UserId = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ pattern: `^${TEXT}$`, maxLength: MAX_USER_ID_CHARACTERS }),
  ],
  { description: 'User id: a number, or a string if the directory has strings' },
);
export type UserId = Static<typeof UserId>;

/** The id of a user as a string; of a number its digits. */
export const UserIdText = Type.String({
  pattern: `^(?:[1-9][0-9]{0,15}|${TEXT})$`,
  maxLength: MAX_USER_ID_CHARACTERS,
  description: 'User id as a string',
});

/** The accepted values of `isUserId`, in words that follow "must be" or "is not". */
export const USER_ID_WORDS = `a whole number from 1 to 2^53 - 1, or a text of up to ${MAX_USER_ID_CHARACTERS} letters, digits and . _ ~ @ | + - that does not read as a number`;

const isNumber = new RegExp(`^${NUMBER}$`);
const isText = new RegExp(`^${TEXT}$`);

/** Returns whether a value can be the id of a user. */
export function isUserId(value: unknown): value is UserId {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0;
  return typeof value === 'string' && isText.test(value);
}

/** Returns the id for a result of `String(id)`. Any other string may return an impossible id: see `isUserId`. */
export function readUserId(text: string): UserId {
  return isNumber.test(text) ? Number(text) : text;
}
