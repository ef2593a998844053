// A directory driver of one's own, in full: USERS_URL=module:./example-driver.js
// This one keeps its users in a Map; a real one asks whatever keeps them, and closes its connections in `close`.

/**
 * The default export is the driver, or a function that returns it, asynchronous or not.
 * A user is { id, email, hash, disabled }: a whole number from 1 to 2^53 - 1 or a text such as a UUID, two texts (an empty
 * `hash` for a user without a password), true or false. If users are found by something else than the address, `account`
 * is that text, as it is stored. A method that throws, or takes longer than two seconds, is a directory that does not
 * answer: logins get 503, refreshes go on.
 */
export default function createDirectory() {
  const users = new Map([
    [1, { id: 1, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false }],
    [2, { id: 2, email: 'bob@example.com', hash: 'hash of bob', disabled: true }],
  ]);

  return {
    /**
     * The spelling is the address trimmed, in Unicode form NFKC and lower case. An address with an international domain
     * is asked for in each form of the domain. Nobody is undefined or null.
     */
    async findByEmail(spelling) {
      return [...users.values()].find(({ email }) => email.toLowerCase() === spelling);
    },

    async findById(id) {
      return users.get(id);
    },

    /**
     * Replaces a hash of an old kind after a login, but only while it is still the old one, and says whether it did.
     * Leave this method out where hashes cannot be replaced.
     */
    async saveHash(id, oldHash, newHash) {
      const user = users.get(id);
      if (user?.hash !== oldHash) return false;
      users.set(id, { ...user, hash: newHash });
      return true;
    },

    /** Resolves while the users can be asked for; the service says so in /health/ready. */
    async health() {},

    async close() {},
  };
}
