// A complete custom directory driver: USERS_URL=module:./example-driver.js
// This one stores its users in a Map. A real driver queries its own storage and closes its connections in `close`.

/**
 * The default export is the driver, or a function that returns it, asynchronous or not.
 * A user is { id, email, hash, disabled }: a whole number from 1 to 2^53 - 1 or a text such as a UUID, two texts (an
 * empty `hash` for a user without a password), true or false. If users are found by another key than the address,
 * `account` is that key as stored. A method that throws, or takes longer than two seconds, counts as an unavailable
 * directory: logins get 503, refreshes continue.
 */
export default function createDirectory() {
  const users = new Map([
    [1, { id: 1, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false }],
    [2, { id: 2, email: 'bob@example.com', hash: 'hash of bob', disabled: true }],
  ]);

  return {
    /**
     * The spelling is the trimmed address in Unicode form NFKC and lower case. For an address with an international
     * domain, this is called once for each form of the domain. Return undefined or null if no user matches.
     */
    async findByEmail(spelling) {
      return [...users.values()].find(({ email }) => email.toLowerCase() === spelling);
    },

    async findById(id) {
      return users.get(id);
    },

    /**
     * Replaces an outdated hash after a login, but only if the old one is unchanged. Returns whether it did. Omit this
     * method where hashes cannot be replaced.
     */
    async saveHash(id, oldHash, newHash) {
      const user = users.get(id);
      if (user?.hash !== oldHash) return false;
      users.set(id, { ...user, hash: newHash });
      return true;
    },

    /** Resolves while users can be queried. /health/ready reports the result. */
    async health() {},

    async close() {},
  };
}
