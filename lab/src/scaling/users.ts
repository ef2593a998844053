// A user directory that session-service loads with USERS_URL=module: any number of accounts with one password.

import { PASSWORD, PASSWORD_HASH } from '@tollgate/test-support/static-directory.js';

/** The password of all users. */
export { PASSWORD };

/** The variable with the argon2id hash of the password. */
export const HASH_VARIABLE = 'BENCH_PASSWORD_HASH';

/**
 * The e-mail address of a user.
 * @param id from 1
 * @param hash `cheap`: a bcrypt hash at its lowest cost
 */
export function emailOf(id: number, hash: 'argon2id' | 'cheap' = 'argon2id'): string {
  return `${hash === 'cheap' ? 'cheap' : 'user'}-${id}@example.com`;
}

const userOf = (id: number, isCheap = false) => ({
  id,
  email: emailOf(id, isCheap ? 'cheap' : 'argon2id'),
  hash: isCheap ? PASSWORD_HASH : (process.env[HASH_VARIABLE] ?? null),
  disabled: false,
});

/** The driver. */
export default {
  findByEmail: async (accountKey: string) => {
    const [, kind, id] = /^(user|cheap)-([1-9]\d*)@example\.com$/.exec(accountKey) ?? [];
    return id === undefined ? undefined : userOf(Number(id), kind === 'cheap');
  },
  findById: async (id: number) => userOf(id),
  health: async () => {},
  close: async () => {},
};
