// The id of a user: a number or a text, and the one text that stands for it in keys, records, paths and headers.

import { type Static, Type } from '@sinclair/typebox';

/** The longest text that is an id. */
export const MAX_USER_ID_CHARACTERS = 64;

/** The digits of a number. No text id consists of these, so `String(id)` is different for different ids. */
const NUMBER = '[0-9]{1,16}';

/**
 * What others read as a number, such as `-1`, `1.5`, `1e5` or `0x1A`. More digits than a number has are a text: long hexadecimal
 * ids may have one `e` among digits, and addresses of wallets begin with `0x`.
 */
const LOOKS_LIKE_NUMBER = `-?(?:(?:${NUMBER}(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,4})?|0[xX][0-9A-Fa-f]{1,16}|0[oO][0-7]{1,16}|0[bB][01]{1,16})`;

/**
 * ASCII without white space, quotes, brackets and whatever separates in keys, records, paths or headers. Not `.` and `..`,
 * which addresses resolve, not `-`, which stands for "none" in records, and nothing
 * that others read as a number.
 */
const TEXT = `(?!${LOOKS_LIKE_NUMBER}$)(?=[^A-Za-z0-9]*[A-Za-z0-9])[A-Za-z0-9_-][A-Za-z0-9._~@|+-]{0,${MAX_USER_ID_CHARACTERS - 1}}`;

/** The id of a user as the directory has it: a number stays a number on the wire, a text a text. */
export const UserId = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ pattern: `^${TEXT}$`, maxLength: MAX_USER_ID_CHARACTERS }),
  ],
  { description: "The user's id: a number, or a text where the directory has texts" },
);
export type UserId = Static<typeof UserId>;

/** The id of a user as text: of a number its digits. */
export const UserIdText = Type.String({
  pattern: `^(?:[1-9][0-9]{0,15}|${TEXT})$`,
  maxLength: MAX_USER_ID_CHARACTERS,
  description: "The user's id; of a number its digits",
});

/** What `isUserId` accepts, in words that follow "must be" or "is not". */
export const USER_ID_WORDS = `a whole number from 1 to 2^53 - 1, or a text of up to ${MAX_USER_ID_CHARACTERS} letters, digits and . _ ~ @ | + - that does not read as a number`;

const isNumber = new RegExp(`^${NUMBER}$`);
const isText = new RegExp(`^${TEXT}$`);

/** Returns whether a value can be the id of a user. */
export function isUserId(value: unknown): value is UserId {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0;
  return typeof value === 'string' && isText.test(value);
}

/** Returns the id that `String(id)` has written. Any other text may give what no user has: see `isUserId`. */
export function readUserId(text: string): UserId {
  return isNumber.test(text) ? Number(text) : text;
}
