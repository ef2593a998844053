// A directory of users that session-service loads with USERS_URL=module: any number of accounts with one password.

export const PASSWORD = 'a password of a benchmark';

/** The variable with the hash of the password. */
export const HASH_VARIABLE = 'BENCH_PASSWORD_HASH';

/** The e-mail address of a user. @param id from 1 */
export function emailOf(id: number): string {
  return `user-${id}@example.com`;
}

const userOf = (id: number) => ({
  id,
  email: emailOf(id),
  hash: process.env[HASH_VARIABLE] ?? null,
  disabled: false,
});

/** The driver. */
export default {
  findByEmail: async (accountKey: string) => {
    const id = Number(/^user-([1-9]\d*)@example\.com$/.exec(accountKey)?.[1]);
    return Number.isSafeInteger(id) ? userOf(id) : undefined;
  },
  findById: async (id: number) => userOf(id),
  health: async () => {},
  close: async () => {},
};
