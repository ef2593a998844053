// A user directory that the services load with USERS_URL=module: permanent accounts with one cheap hash.

/** Number of users. */
export const PEOPLE = 40;

/** Password of all users. Bcrypt at its lowest cost: a drill is not about hashing. */
export const PASSWORD = 'correct horse battery staple';
export const PASSWORD_HASH = '$2b$04$LJRHS4HQ0tfIffHZJTAT/OE0zPeBabJwop60tylfSXf52UE6btm16';

/** The e-mail address of a user. @param id from 1 */
export function emailOf(id: number): string {
  return `person-${id}@example.com`;
}

const userOf = (id: number) => ({ id, email: emailOf(id), hash: PASSWORD_HASH, disabled: false });
const isPerson = (id: number) => id >= 1 && id <= PEOPLE;

/** The driver. */
export default {
  findByEmail: async (accountKey: string) => {
    const id = Number(/^person-(\d+)@example\.com$/.exec(accountKey)?.[1] ?? 0);
    return isPerson(id) ? userOf(id) : undefined;
  },
  findById: async (id: number) => (isPerson(id) ? userOf(id) : undefined),
  health: async () => {},
  close: async () => {},
};
