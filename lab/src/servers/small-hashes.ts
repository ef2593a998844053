// A directory in which every address has the password of `ACCOUNT`, hashed in 64 KiB: a login without the memory of its hash.

/** Argon2id in 64 KiB and two passes; without `saveHash` a login keeps it. */
const HASH = '$argon2id$v=19$m=64,t=2,p=1$G85n8F+ugLB6BeOZLqyLcg$7j7JJEWGx1QEKmGroRcLAqCNl7Whfme3N1v5zOqIMK0';

const find = (id: string) => ({ id, email: id, hash: HASH, disabled: false });

export default {
  findByEmail: async (email: string) => find(email),
  findById: async (id: string) => find(id),
  async health() {},
  async close() {},
};
