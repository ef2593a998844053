// Password verification, and its equal cost for every outcome.

import { hash } from '@node-rs/argon2';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import t from 'tap';
import {
  type AccountDirectory,
  type Directory,
  DirectoryUnavailableError,
  type DirectoryUser,
  UnusableUserError,
  withAccounts,
} from '../../src/directory/directory.js';
import { CURRENT_COST, hashCost, hashPassword, verifyPassword } from '../../src/passwords/password-hash.js';
import { createHashingQueue, createSignIn, HashingOverloadedError } from '../../src/passwords/sign-in.js';

type Users = Record<string, { hash: string; disabled?: boolean }>;

/** A directory with these users by account key, and a login that reports the verified hashes. */
function signInTo(users: Users, change: Partial<Directory> = {}) {
  const found = new Map<string, DirectoryUser>(
    Object.entries(users).map(([email, user], index) => [
      email,
      { id: index + 1, email, disabled: false, ...user },
    ]),
  );
  const lookedFor: string[] = [];
  const verified: string[] = [];
  const unreadable: (number | string)[] = [];
  const unusable: UnusableUserError[] = [];
  const errors: unknown[] = [];
  const directory: Directory = {
    async findByEmail(key) {
      lookedFor.push(key);
      return found.get(key);
    },
    findById: async (id) => [...found.values()].find((user) => user.id === id),
    async saveHash(id, oldHash, newHash) {
      const user = [...found.values()].find((each) => each.id === id);
      if (user?.hash !== oldHash) return false;
      found.set(user.email, { ...user, hash: newHash });
      return true;
    },
    health: async () => {},
    close: async () => {},
    ...change,
  };
  const queue = createHashingQueue({ running: 2, waiting: 100 });
  const signIn = createSignIn(
    withAccounts(directory, () => {}),
    queue,
    (error) => errors.push(error),
    {
      onUnreadableHash: (id) => unreadable.push(id),
      onUnusableUser: (error) => unusable.push(error),
      verify(passwordHash, password) {
        verified.push(passwordHash);
        return verifyPassword(passwordHash, password);
      },
    },
  );
  return { signIn, found, lookedFor, verified, unreadable, unusable, errors };
}

t.test(
  'accounts enumerated by time: unknown, disabled and wrong cost one lookup and one equal hash',
  async (t) => {
    const hashes: [string, (password: string) => Promise<string>][] = [
      [CURRENT_COST, hashPassword],
      ['$2b$05', (password) => bcryptHash(password, 5)],
      [
        '$argon2id$v=19$m=4096,t=3,p=1',
        (password) => hash(password, { memoryCost: 4096, timeCost: 3, parallelism: 1 }),
      ],
    ];
    for (const [cost, make] of hashes) {
      const users = {
        'first@x.org': { hash: await make('a password') },
        'wrong@x.org': { hash: await make('a password') },
        'disabled@x.org': { hash: await make('password'), disabled: true },
        'empty@x.org': { hash: '' },
        'broken@x.org': { hash: '$5$rounds=1000$x' },
      };
      const { signIn, verified, lookedFor, unreadable } = signInTo(users);
      // The first existing account teaches the cost, whether its password is right or wrong.
      await signIn.check('first@x.org', 'password');
      verified.length = 0;
      lookedFor.length = 0;
      const keys = ['unknown@x.org', 'wrong@x.org', 'disabled@x.org', 'empty@x.org', 'broken@x.org'];
      for (const key of keys) t.equal(await signIn.check(key, 'password'), undefined, key);
      t.strictSame(lookedFor, keys, 'one look each');
      t.strictSame(
        verified.map(hashCost),
        [cost, cost, cost, cost, cost],
        'one verification each, of equal cost',
      );
      t.strictSame(unreadable, [5], 'a hash that is none is told; no password is nothing to tell');
    }
  },
);

t.test('only the service learns why a login failed', async (t) => {
  const { signIn } = signInTo({
    'ada@x.org': { hash: await hashPassword('password') },
    'off@x.org': { hash: await hashPassword('password'), disabled: true },
    'none@x.org': { hash: '' },
    'odd@x.org': { hash: '$5$odd' },
  });
  for (const [account, expected] of [
    ['ada@x.org', 'wrong_password'],
    ['off@x.org', 'disabled'],
    ['none@x.org', 'no_password'],
    ['odd@x.org', 'unreadable_hash'],
    ['nobody@x.org', 'unknown_account'],
  ] as const) {
    const reasons: string[] = [];
    t.equal(await signIn.check(account, 'a wrong one', (reason) => reasons.push(reason)), undefined);
    t.strictSame(reasons, [expected], account);
  }
  const reasons: string[] = [];
  t.match(await signIn.check('ada@x.org', 'password', (reason) => reasons.push(reason)), { id: 1 });
  t.strictSame(reasons, []);
});

t.test('before any login, an unknown account costs as much as a new hash', async (t) => {
  const { signIn, verified } = signInTo({});
  t.equal(await signIn.check('unknown@x.org', 'password'), undefined);
  t.strictSame(verified.map(hashCost), [CURRENT_COST]);
});

t.test('no password opens an unknown account or one without a hash, not even the dummy’s', async (t) => {
  const { signIn } = signInTo({ 'empty@x.org': { hash: '' } });
  const guessed = createSignIn(
    directoryOf({ id: 1, email: 'empty@x.org', hash: '', disabled: false }),
    createHashingQueue({ running: 1, waiting: 0 }),
    () => {},
    { verify: async () => true },
  );
  t.equal(await signIn.check('empty@x.org', ''), undefined);
  t.equal(await guessed.check('empty@x.org', 'password'), undefined);
  t.equal(await guessed.check('unknown@x.org', 'password'), undefined);
});

t.test('the right password logs in, and an outdated hash is replaced once', async (t) => {
  const old = await bcryptHash('password', 4);
  const { signIn, found, errors } = signInTo({ 'ada@x.org': { hash: old } });
  const signedIn = await signIn.check('ada@x.org', 'password');
  t.match(signedIn, { id: 1, email: 'ada@x.org' });
  const replaced = found.get('ada@x.org')?.hash ?? '';
  t.equal(signedIn?.hash, replaced, 'and the user is returned with the new one');
  t.equal(hashCost(replaced), CURRENT_COST);
  t.match(await signIn.check('ada@x.org', 'password'), { id: 1 });
  t.equal(found.get('ada@x.org')?.hash, replaced);
  t.equal(await signIn.check('ada@x.org', 'another'), undefined);
  t.strictSame(errors, []);
});

t.test("a disabled account's hash is never replaced", async (t) => {
  const old = await bcryptHash('password', 4);
  const { signIn, found } = signInTo({ 'ada@x.org': { hash: old, disabled: true } });
  t.equal(await signIn.check('ada@x.org', 'password'), undefined);
  t.equal(found.get('ada@x.org')?.hash, old);
});

t.test('a rehash does not overwrite a password changed in the meantime', async (t) => {
  const old = await bcryptHash('password', 4);
  const { signIn, found } = signInTo({ 'ada@x.org': { hash: old } });
  const checked = signIn.check('ada@x.org', 'password');
  found.set('ada@x.org', { id: 1, email: 'ada@x.org', hash: 'changed', disabled: false });
  t.match(await checked, { id: 1 });
  t.equal(found.get('ada@x.org')?.hash, 'changed');
});

t.test('a typo after the 72nd byte does not become part of the password', async (t) => {
  const password = 'p'.repeat(80);
  const { signIn, found } = signInTo({ 'ada@x.org': { hash: await bcryptHash(password, 4) } });
  t.match(await signIn.check('ada@x.org', `${password.slice(0, 79)}q`), { id: 1 });
  t.match(await signIn.check('ada@x.org', password), { id: 1 });
  t.match(found.get('ada@x.org')?.hash, /^\$2b\$04\$/);
});

t.test(
  'no new hash is computed if the directory cannot save it, and if saving fails the login succeeds',
  async (t) => {
    const old = await bcryptHash('password', 4);
    const { saveHash: _none, ...readOnly } = directoryOf({ id: 1, email: 'e', hash: old, disabled: false });
    const works: string[] = [];
    const queue = createHashingQueue({ running: 1, waiting: 0 });
    const counting = {
      run: <T>(work: () => Promise<T>) => {
        works.push('hash');
        return queue.run(work);
      },
      load: queue.load,
      isFull: queue.isFull,
    };
    t.match(await createSignIn(readOnly, counting, () => {}).check('e', 'password'), { id: 1 });
    t.equal(works.length, 1, 'the password was compared, and not hashed again');

    const failing = signInTo(
      { 'ada@x.org': { hash: old } },
      { saveHash: () => Promise.reject(new DirectoryUnavailableError('away')) },
    );
    t.match(await failing.signIn.check('ada@x.org', 'password'), { id: 1 });
    t.match(failing.errors, [{ message: 'away' }]);
  },
);

t.test(
  'accounts enumerated by a damaged row: an invalid user costs as much as an unknown account',
  async (t) => {
    const twice = new UnusableUserError('the statement returned more than one user', [1, 2]);
    const users = { 'ada@x.org': { hash: await bcryptHash('password', 5) } };
    const { signIn, verified, unusable, found } = signInTo(users, {
      async findByEmail(key) {
        if (key === 'twice@x.org') throw twice;
        return found.get(key);
      },
    });
    await signIn.check('ada@x.org', 'wrong');
    for (const key of ['twice@x.org', 'unknown@x.org'])
      t.equal(await signIn.check(key, 'password'), undefined);
    t.equal(verified.length, 3);
    t.equal(verified[1], verified[2], 'the same hash of the common cost');
    t.strictSame(unusable, [twice]);
  },
);

t.test('an unavailable directory and a full queue are errors, not verdicts', async (t) => {
  const away = signInTo({}, { findByEmail: () => Promise.reject(new DirectoryUnavailableError('away')) });
  await t.rejects(away.signIn.check('ada@x.org', 'password'), DirectoryUnavailableError);
  t.strictSame(away.verified, []);
  const full = createSignIn(
    directoryOf(undefined),
    {
      run: () => Promise.reject(new HashingOverloadedError('full')),
      load: { running: 1, waiting: 0 },
      isFull: true,
    },
    () => {},
  );
  await t.rejects(full.check('ada@x.org', 'password'), HashingOverloadedError);
  await t.rejects(full.admit(), HashingOverloadedError);
});

/** The same password as typed on different keyboards: `é` as one character, and as two. */
const [ONE, TWO] = ['pass\u00e9 word', 'passe\u0301 word'];

t.test('a password opens its account in any Unicode form of its accents and spaces', async (t) => {
  const spaces = ['\u00a0', '\u2003', '\u3000', '\u2000'].map((space) => `pass\u00e9${space}word`);
  for (const set of [ONE, TWO, ...spaces]) {
    const { signIn, found } = signInTo({ 'ada@x.org': { hash: await hashPassword(set) } });
    const before = found.get('ada@x.org')?.hash;
    for (const typed of [ONE, TWO, ...spaces]) t.match(await signIn.check('ada@x.org', typed), { id: 1 });
    for (const other of ['passe word', 'pass\u00e9  word', 'PASS\u00c9 WORD', '\uff50ass\u00e9 word'])
      t.equal(await signIn.check('ada@x.org', other), undefined);
    t.equal(found.get('ada@x.org')?.hash, before, 'a hash of the prepared form stays');
  }
});

t.test(
  'half-width forms open an account whose password was set with them, and no other form does',
  async (t) => {
    const halfWidth = 'ﾊﾟｽﾜｰﾄﾞﾃﾞｽ';
    for (const hashed of [
      await hashPassword(halfWidth),
      await hash(halfWidth),
      await bcryptHash(halfWidth, 4),
    ]) {
      const { signIn } = signInTo({ 'ada@x.org': { hash: hashed } });
      t.match(await signIn.check('ada@x.org', halfWidth), { id: 1 });
      t.equal(await signIn.check('ada@x.org', halfWidth.normalize('NFKC')), undefined);
    }
  },
);

t.test(
  'a hash of the unnormalised text verifies, and is replaced where the directory saves hashes',
  async (t) => {
    const raw = await hash(TWO, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    const { signIn, found } = signInTo({ 'ada@x.org': { hash: raw } });
    t.equal(await signIn.check('ada@x.org', ONE), undefined, 'nobody can know how it was typed');
    t.match(await signIn.check('ada@x.org', TWO), { id: 1 });
    t.not(found.get('ada@x.org')?.hash, raw);
    for (const typed of [ONE, TWO]) t.match(await signIn.check('ada@x.org', typed), { id: 1 }, 'from now on');

    const { saveHash: _none, ...readOnly } = directoryOf({ id: 1, email: 'e', hash: raw, disabled: false });
    const queue = createHashingQueue({ running: 1, waiting: 0 });
    t.match(await createSignIn(readOnly, queue, () => {}).check('e', TWO), { id: 1, hash: raw });

    const long = `${TWO}${'p'.repeat(80)}`;
    const bcrypt = signInTo({ 'ada@x.org': { hash: await bcryptHash(long, 4) } });
    t.match(await bcrypt.signIn.check('ada@x.org', `${long.slice(0, -1)}q`), { id: 1 });
    t.match(bcrypt.found.get('ada@x.org')?.hash, /^\$2b\$04\$/, 'unless bcrypt has read only a part of it');
  },
);

t.test(
  'accounts enumerated by a password with two forms: each is two verifications in the queue',
  async (t) => {
    const users = {
      'wrong@x.org': { hash: await hashPassword('another') },
      'disabled@x.org': { hash: await hashPassword(ONE), disabled: true },
      'empty@x.org': { hash: '' },
      'broken@x.org': { hash: '$5$rounds=1000$x' },
    };
    const { signIn, verified } = signInTo(users);
    for (const [typed, verifications] of [
      [ONE, 1],
      [TWO, 2],
    ] as const) {
      for (const account of ['unknown@x.org', ...Object.keys(users)]) {
        verified.length = 0;
        t.equal(await signIn.check(account, typed), undefined, account);
        t.strictSame(
          verified.map(hashCost),
          Array(verifications).fill(CURRENT_COST),
          `${account} ${verifications}`,
        );
      }
    }
    let places = 0;
    const counting = {
      run: <T>(work: () => Promise<T>) => {
        places += 1;
        return work();
      },
      load: { running: 0, waiting: 0 },
      isFull: false,
    };
    await createSignIn(directoryOf(undefined), counting, () => {}).check('unknown@x.org', TWO);
    t.equal(places, 2);
  },
);

/** A directory with one user, found under its own address. */
function directoryOf(user: DirectoryUser | undefined): AccountDirectory {
  return {
    findByAccount: async (account) => (account === user?.email ? user : undefined),
    findById: async () => user,
    saveHash: async () => true,
    health: async () => {},
    close: async () => {},
  };
}
