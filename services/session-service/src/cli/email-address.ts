// The e-mail addresses that the command `users` accepts.

import { CommandError } from '@tollgate/shared/config';
import { EMAIL_CHARACTERS } from '@tollgate/shared/schemas';

/** Whether a string can be an e-mail address, so that a typo creates no account. Surrounding spaces are ignored. */
export function isEmailAddress(text: string): boolean {
  const trimmed = text.trim();
  const isAddress = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(trimmed) && trimmed.length <= EMAIL_CHARACTERS;
  return isAddress && !hasControlCharacters(text);
}

/** Whether a string has control characters, which no login accepts in an address. */
export function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** Returns the address without surrounding spaces. @throws CommandError if it is invalid */
export function checkEmail(text: string): string {
  if (!isEmailAddress(text)) throw new CommandError('not an e-mail address');
  return text.trim();
}
