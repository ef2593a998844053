// An emptied directory, or one with other users than those logged in, ends no session.

import { join } from 'node:path';
import { accountPseudonym } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import type { UserId } from '@tollgate/shared/schemas';
import { openStore, type Store, waitForStore } from '@tollgate/shared/store';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedisSentinel } from '@tollgate/test-support/redis-sentinel.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { acceptDirectory } from '../../src/cli/store-actions.js';
import { type Directory, DirectoryUnavailableError } from '../../src/directory/directory.js';
import { withDirectoryCheck } from '../../src/directory/directory-check.js';
import { type EmbeddedDirectory, openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { openKnownUsers } from '../../src/stores/known-users.js';
import { KNOWN_USERS_KEY } from '../../src/stores/session-keys.js';

const ring = openKeyRing('challenge-secret-of-this-test-0123456789');
const KEEP_MS = 60_000;
const REFUSED = /^the user directory is rejected: /;

async function fileOf(t: Test, ...emails: string[]): Promise<EmbeddedDirectory> {
  const directory = openEmbeddedDirectory(join(tempDir(t), 'users'));
  t.teardown(() => directory.close());
  for (const email of emails) await directory.add(email, 'hash');
  return directory;
}

/** The users of a file without its identity, as in PostgreSQL or a module. */
function withoutIdentity({ findByEmail, findById, health, close }: EmbeddedDirectory): Directory {
  return { findByEmail, findById, health, close };
}

/** A directory before its first check, and its log lines. */
function wrapped(t: Test, store: Store, directory: Directory, keys = ring) {
  const lines: string[] = [];
  const write = (_about: object, line: string) => void lines.push(line);
  const log = { info: write, error: write };
  const one = withDirectoryCheck(directory, { store, ring: keys, keepMs: KEEP_MS, refreshMs: KEEP_MS, log });
  t.teardown(() => one.stop());
  return { directory: one, lines };
}

/** The same after its first check. */
async function checked(t: Test, store: Store, directory: Directory, keys = ring) {
  const one = wrapped(t, store, directory, keys);
  // No user has the id 0: the check has run when the lookup returns.
  await one.directory.findById(0).catch(() => {});
  return one;
}

t.test(
  "a directory is recognised by an earlier version's pseudonyms of international addresses",
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const emails = ['Ann@bücher.example', 'bob@xn--bcher-kva.example'];
      const directory = withoutIdentity(await fileOf(t, ...emails));
      // An earlier version's pseudonyms: of the address in NFKC and lower case.
      const pseudonyms = emails.map((email) =>
        accountPseudonym(ring.current, 'tollgate directory', email.toLowerCase()),
      );
      const text = [
        '-',
        ...pseudonyms.map((pseudonym, at) => `${at + 1} ${ring.current.id} ${pseudonym}`),
      ].join('\n');
      await store.exchange(KNOWN_USERS_KEY, text, KEEP_MS);
      const { directory: one, lines } = await checked(t, store, directory);
      for (const id of [1, 2]) t.match(await one.findById(id), { email: emails[id - 1] });
      t.strictSame(lines, []);
      await one.stop();
      const kept = (await store.read(KNOWN_USERS_KEY)) ?? '';
      t.match(kept.split('\n')[1], / \d{13}$/, 'with a time');
      t.equal(
        kept.replaceAll(/ \d{13}$/gm, ''),
        text,
        'and remembers the same, for processes of both versions',
      );
    });
  },
);

for (const hasIdentity of [true, false]) {
  const shape = hasIdentity ? (directory: EmbeddedDirectory) => directory : withoutIdentity;
  const kind = hasIdentity ? 'with an identity' : 'without an identity';

  t.test(`an emptied directory ${kind} ended all sessions of all users`, async (t) => {
    await eachKind(t, async (t, { store }) => {
      const full = await checked(t, store, shape(await fileOf(t, 'ada@example.com', 'bob@example.com')));
      t.match(await full.directory.findByEmail('ada@example.com'), { id: 1 });
      t.match(await full.directory.findById(2), { email: 'bob@example.com' });
      t.equal(await full.directory.findById(3), undefined, 'a user who is gone is gone');
      t.strictSame(full.lines, []);
      await full.directory.stop();

      const empty = await checked(t, store, shape(await fileOf(t)));
      await t.rejects(empty.directory.findById(1), DirectoryUnavailableError);
      await t.rejects(empty.directory.findByEmail('ada@example.com'), REFUSED);
      await t.rejects(empty.directory.health(), REFUSED);
      t.equal(empty.lines.length, 1);
      t.match(empty.lines[0], /none of the users who logged in before.*session accept-directory$/);

      await store.exchange(KNOWN_USERS_KEY, '', 1);
      await t.resolves(empty.directory.health());
      t.equal(await empty.directory.findById(1), undefined);
      t.match(empty.lines, [/rejected/, /accepted again$/]);
    });
  });

  t.test(`another directory ${kind} gave sessions to people with the same ids`, async (t) => {
    await eachKind(t, async (t, { store }) => {
      const first = await checked(t, store, shape(await fileOf(t, 'ada@example.com', 'bob@example.com')));
      await first.directory.findById(1);
      await first.directory.findById(2);
      await first.directory.stop();
      const strangers = shape(await fileOf(t, 'eve@example.com', 'mallory@example.com'));
      const other = await checked(t, store, strangers);
      await t.rejects(other.directory.findById(1), REFUSED);
      t.match(other.lines, [/its users differ/]);
      const same = await checked(t, store, shape(await fileOf(t, 'ADA@example.com', 'new@example.com')));
      t.match(await same.directory.findById(1), { email: 'ADA@example.com' }, 'one known user is enough');
    });
  });
}

t.test('eight throw-away accounts, deleted at once, switched off every login', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const throwAways = Array.from({ length: 8 }, (_, at) => `mallory${at}@example.com`);
    const file = await fileOf(t, ...throwAways, 'ada@example.com');
    const { directory, lines } = await checked(t, store, withoutIdentity(file));
    for (const email of [...throwAways, 'ada@example.com']) await directory.findByEmail(email);
    for (const email of throwAways) await file.remove(email);
    await t.rejects(directory.findById(1, 'mallory0@example.com'), REFUSED);
    await t.rejects(directory.findByEmail('ada@example.com'), REFUSED);
    await t.rejects(directory.findById(9, 'eve@example.com'), REFUSED, 'another user has this id');
    t.match(await directory.findById(9, 'Ada@example.com'), { email: 'ada@example.com' });
    t.match(await directory.findByEmail('ada@example.com'), { id: 9 });
    t.equal(await directory.findById(1, 'mallory0@example.com'), undefined, 'a deleted user is gone');
    t.match(lines, [/rejected/, /accepted again$/]);
    await directory.stop();
    const other = await checked(t, store, withoutIdentity(await fileOf(t)));
    await t.rejects(other.directory.findById(9, 'ada@example.com'), REFUSED, 'this user is remembered');
  });
});

t.test('a directory lost right after the first login of a ready service ended its session', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { directory: ready } = wrapped(t, store, await fileOf(t, 'ada@example.com'));
    await ready.health();
    await ready.findByEmail('ada@example.com');
    await ready.stop();
    const empty = await checked(t, store, await fileOf(t));
    await t.rejects(empty.directory.findById(1), REFUSED);
  });
});

t.test("a directory's only user may change the address, except in a file", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const before = await checked(t, store, withoutIdentity(await fileOf(t, 'ada@example.com')));
    await before.directory.findById(1);
    await before.directory.stop();
    const after = await checked(t, store, withoutIdentity(await fileOf(t, 'lovelace@example.com')));
    t.match(await after.directory.findById(1), { email: 'lovelace@example.com' });
    const file = await checked(t, store, await fileOf(t, 'eve@example.com'));
    await t.rejects(file.directory.findById(1), REFUSED);
  });
});

t.test('a lost directory with one new account was accepted, and sessions ended', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const emails = ['ada@example.com', 'bob@example.com', 'cy@example.com'];
    const before = await checked(t, store, withoutIdentity(await fileOf(t, ...emails)));
    for (const email of emails) await before.directory.findByEmail(email);
    await before.directory.stop();
    const after = await checked(t, store, withoutIdentity(await fileOf(t, 'eve@example.com')));
    await t.rejects(after.directory.findById(1, 'ada@example.com'), REFUSED, 'another person has this id');
    await t.rejects(after.directory.findById(2, 'bob@example.com'), REFUSED, 'the session continues');
    await t.rejects(after.directory.findByEmail('eve@example.com'), REFUSED);
    t.match(after.lines, [/its users differ/]);
  });
});

t.test('an older copy of the file counts as the same directory', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const original = await fileOf(t, 'ada@example.com');
    const path = join(tempDir(t), 'copy');
    original.copyTo(path);
    await original.add('bob@example.com', 'hash');
    const before = await checked(t, store, original);
    await before.directory.findById(2);
    await before.directory.stop();
    const copy = openEmbeddedDirectory(path);
    t.teardown(() => copy.close());
    const after = await checked(t, store, copy);
    t.equal(await after.directory.findById(2), undefined, 'a user who is not in the copy is gone');
    t.match(await after.directory.findByEmail('ada@example.com'), { id: 1 });
  });
});

t.test('a change of CHALLENGE_SECRET does not make it another directory', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const file = await fileOf(t, 'ada@example.com');
    const before = await checked(t, store, withoutIdentity(file));
    await before.directory.findById(1);
    await before.directory.stop();
    const keys = openKeyRing('another-secret-of-this-test-0123456789');
    const after = await checked(t, store, withoutIdentity(file), keys);
    t.match(await after.directory.findById(1), { id: 1 });
    const empty = await checked(t, store, withoutIdentity(await fileOf(t)), keys);
    await t.rejects(empty.directory.findById(1), REFUSED);
  });
});

t.test('the store contains no names of the remembered users', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { directory } = await checked(t, store, await fileOf(t, 'ada@example.com'));
    await directory.findById(1);
    await directory.stop();
    t.match(await store.read(KNOWN_USERS_KEY), /^[0-9a-f]{32}\n1 [0-9a-f]{8} [0-9a-f]{32} \d{13}$/);
  });
});

// The contract of the known users, on every store.

t.test('a known user is renewed, forgotten alone, and gone after the time', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const users = openKnownUsers(store, { keepMs: KEEP_MS, userMs: 20_000 });
    const user = (id: UserId) => ({ id, keyId: '0123abcd', pseudonym: 'a'.repeat(32) });
    t.strictSame(await users.read(), { identity: undefined, users: [] });
    await users.remember(user(1), 'file');
    await age(15_000);
    await users.remember(user('two'), 'file');
    t.strictSame(await users.read(), { identity: 'file', users: [user(1), user('two')] });
    await age(10_000);
    t.strictSame((await users.confirm('file')).users, [user('two')], 'the first was not renewed');
    await users.remember(user('two'), 'file');
    await age(15_000);
    t.strictSame((await users.confirm('file')).users, [user('two')]);
    await users.remember(user(3), 'file');
    t.equal(await users.forget('two'), true);
    t.equal(await users.forget('two'), false);
    t.strictSame(await users.read(), { identity: 'file', users: [user(3)] });
    t.equal(await users.forget(3), true);
    t.equal(await store.read(KNOWN_USERS_KEY), undefined, 'nothing is left');
    for (let id = 1; id <= 20; id++) await users.remember(user(id), undefined);
    t.equal((await users.read()).users.length, 8);
    await age(KEEP_MS);
    t.strictSame((await users.read()).users, []);
  });
});

t.test('an earlier version wrote no times: its users count as seen now', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    await store.exchange(KNOWN_USERS_KEY, `-\n7 0123abcd ${'a'.repeat(32)}`, KEEP_MS);
    const users = openKnownUsers(store, { keepMs: KEEP_MS, userMs: 20_000 });
    t.equal((await users.confirm(undefined)).users.length, 1);
    await age(25_000);
    t.equal((await users.confirm(undefined)).users.length, 0);
  });
});

// Known users survive a failover, so that a lost directory is still rejected afterwards.

async function open(t: Test, url: string): Promise<Store> {
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  t.ok(await waitForStore(store, 5000));
  return store;
}

/** A directory without an identity, like PostgreSQL, and a switch that empties it. */
async function directoryThatCanBeLost(t: Test) {
  const [full, empty] = ['full', 'empty'].map((name) => openEmbeddedDirectory(join(tempDir(t), name)));
  if (full === undefined || empty === undefined) throw new TypeError('two directories');
  t.teardown(() => Promise.all([full.close(), empty.close()]));
  await full.add('ada@example.com', 'hash');
  let current = full;
  const directory: Directory = {
    findByEmail: (key) => current.findByEmail(key),
    findById: (id) => current.findById(id),
    health: () => current.health(),
    async close() {},
  };
  const lose = () => {
    current = empty;
  };
  return { directory, lose };
}

/** @param failOver resolves when the replica is the master for everything in the store */
async function check(t: Test, url: string, failOver: () => Promise<void>): Promise<void> {
  const store = await open(t, url);
  const { directory, lose } = await directoryThatCanBeLost(t);
  const lines: string[] = [];
  const write = (_about: object, line: string) => void lines.push(line);
  const checked = (store: Store) => {
    const log = { info: write, error: write };
    const one = withDirectoryCheck(directory, { store, ring, keepMs: KEEP_MS, refreshMs: KEEP_MS, log });
    t.teardown(() => one.stop());
    return one;
  };
  const running = checked(store);
  await running.findById(0);
  t.match(await running.findById(1), { email: 'ada@example.com' });
  await until(async () => (await store.read(KNOWN_USERS_KEY))?.includes('\n1 ') ?? false, 'ada is known');

  await failOver();
  await until(
    () =>
      // The hash tag: in the slot that has failed over.
      store.exchange(`{${KNOWN_USERS_KEY}}`, '', 1000).then(
        () => true,
        () => false,
      ),
    'the store is written again',
  );
  t.equal(await running.findById(2), undefined, 'a user who is gone is gone');
  lose();
  await t.rejects(running.findById(1), REFUSED, 'ada is not');
  t.match(lines, [/none of the users who logged in before/]);

  const other = checked(await open(t, url));
  await t.rejects(other.findById(1), REFUSED, 'for a process that starts now, too');
  await acceptDirectory(store);
  await t.resolves(other.health());
  t.equal(await other.findById(1), undefined, 'until somebody accepts the empty directory');
}

t.test('a directory lost after a Sentinel failover is rejected', async (t) => {
  const redis = await startRedisSentinel(t);
  await check(t, redis.url, async () => {
    await redis.replicated();
    await redis.failOver();
  });
});

t.test('a directory lost after a failover in a cluster is rejected', async (t) => {
  const redis = await startRedisCluster(t, { replicas: true, nodeTimeoutMs: 1000 });
  await check(t, redis.urlOfAll, async () => {
    const first = redis.masters[0]!.client;
    const slot = Number(await first.call('CLUSTER', 'KEYSLOT', KNOWN_USERS_KEY));
    const at = [5460, 10_922, 16_383].findIndex((last) => slot <= last);
    const master = redis.masters[at]!;
    // WAIT covers only writes by the same client.
    await master.client.set(`{${KNOWN_USERS_KEY}}`, '');
    t.equal(await master.client.wait(1, 10_000), 1, 'the replica has what the master has');
    await master.stop();
    const { client } = redis.replicas[at]!;
    await until(async () => (await client.info('replication')).includes('role:master'), 'it is a master');
  });
});
