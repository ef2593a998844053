// Makes sure that what a foreign directory returned is a user.

import { type DirectoryUser, UnusableUserError } from './directory.js';

const FIELDS: Readonly<
  Record<keyof DirectoryUser, readonly [is: (value: unknown) => boolean, words: string]>
> = {
  id: [(value) => Number.isSafeInteger(value) && Number(value) > 0, 'a whole number from 1 to 2^53 - 1'],
  email: [(value) => typeof value === 'string' && value !== '', 'a text'],
  hash: [(value) => typeof value === 'string', 'a text'],
  disabled: [(value) => typeof value === 'boolean', 'true or false'],
};

/**
 * The user and nothing else that may be in the value.
 * @param source what returned it; the message begins with it
 * @throws UnusableUserError naming the first field that is missing or wrong, never its value
 */
export function readDirectoryUser(value: unknown, source: string): DirectoryUser {
  if (typeof value !== 'object' || value === null) {
    throw new UnusableUserError(`${source} returned something that is no user`);
  }
  const user = value as DirectoryUser;
  for (const [field, [isRight, words]] of Object.entries(FIELDS)) {
    const found = user[field as keyof DirectoryUser];
    if (isRight(found)) continue;
    const mistake = found === undefined ? `without ${field}` : `whose ${field} is not ${words}`;
    throw new UnusableUserError(`${source} returned a user ${mistake}`, readIds([user]));
  }
  const { id, email, hash, disabled } = user;
  return { id, email, hash, disabled };
}

/** The ids of what a foreign directory returned, without those that are none. */
export function readIds(users: readonly { readonly id?: unknown }[]): number[] {
  const [isId] = FIELDS.id;
  return users.map(({ id }) => id).filter((id): id is number => isId(id));
}
