// The directory in one file.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDatabase } from '@tollgate/shared/store';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { changeOnly, deleteUser, listUsers, renameUser } from '../../src/cli/user-actions.js';
import { DirectoryUnavailableError, withAccounts } from '../../src/directory/directory.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { openDirectory } from '../../src/directory/open-directory.js';
import { testDirectory } from './directory-contract.js';

function open(t: Test, path = join(tempDir(t), 'data', 'users.db')) {
  const directory = openEmbeddedDirectory(path);
  t.teardown(() => directory.close());
  return { directory, path };
}

t.test('it fulfils the directory contract', async (t) => {
  await testDirectory(t, async (t) => {
    const { directory } = open(t);
    const ada = await directory.add('Ada@Example.com', 'hash of ada');
    await directory.add('bob@example.com', 'hash of bob');
    const bob = await directory.setDisabled('bob@example.com', true);
    if (ada === undefined || bob === undefined) throw new TypeError('the users were not added');
    return { directory, ada, bob };
  });
});

t.test('users get the ids 1, 2, 3 …, which never change', async (t) => {
  const { directory } = open(t);
  t.strictSame(await directory.list(), []);
  t.strictSame(await directory.add(' Ada@Example.com ', 'h1'), {
    id: 1,
    email: 'Ada@Example.com',
    hash: 'h1',
    disabled: false,
  });
  const added = await Promise.all(
    ['b@x.org', 'c@x.org', 'd@x.org'].map((email) => directory.add(email, 'h')),
  );
  t.strictSame(added.map((user) => user?.id).sort(), [2, 3, 4]);
  t.strictSame(
    (await directory.list()).map(({ id }) => id),
    [1, 2, 3, 4],
  );
});

t.test('all spellings of an address are one user', async (t) => {
  const { directory } = open(t);
  await directory.add('ada@example.com', 'h1');
  t.equal(await directory.add('ＡＤＡ@Example.COM ', 'h2'), undefined);
  t.match(await directory.list(), [{ hash: 'h1' }]);
  const races = await Promise.all(Array.from({ length: 20 }, () => directory.add('b@example.com', 'h')));
  t.equal(races.filter((user) => user !== undefined).length, 1);
});

t.test('both forms of an international domain are one address, for every action', async (t) => {
  const { directory } = open(t);
  await directory.add('ann@bücher.example', 'h1');
  const other = 'ANN@xn--bcher-kva.example';
  t.equal(await directory.add(other, 'h2'), undefined);
  t.match(await directory.takenOf([{ email: other, hash: '' }]), new Map([[0, 'address']]));
  t.match(await directory.setPassword(other, 'h2'), { id: 1, hash: 'h2', email: 'ann@bücher.example' });
  t.match(await directory.setDisabled(other, true), { disabled: true });
  t.match(await directory.setClaims(other, { role: 'x' }), { claims: { role: 'x' } });
  t.match(await directory.rename(other, 'ann@xn--bcher-kva.example'), { id: 1 });
  t.match(await directory.remove('ann@bücher.example'), { id: 1 });
});

t.test(
  'users of an earlier version with spellings of one account keep their keys and can log in',
  async (t) => {
    const path = join(tempDir(t), 'users.db');
    const emails = [
      'Ann@bücher.example',
      'ann@xn--bcher-kva.example',
      'bob@bücher.example',
      'eve@xn--bcher-kva.example',
    ];
    await open(t, path).directory.close();
    const before = openDatabase(path, 1000);
    const insert = before.prepare('INSERT INTO user (account_key, email, hash) VALUES (?, ?, ?)');
    for (const email of emails) insert.run(email.toLowerCase(), email, `hash of ${email}`);
    before.close();

    const { directory } = open(t, path);
    const accounts = withAccounts(directory, () => t.fail('nobody has another account'));
    for (const [at, email] of emails.entries())
      t.match(await accounts.findByAccount(email), { id: at + 1, email }, email);
    t.equal((await accounts.findByAccount('bob@xn--bcher-kva.example'))?.id, 3);
    t.equal((await accounts.findByAccount('eve@bücher.example'))?.id, 4);
    t.match(await directory.setPassword('ann@xn--bcher-kva.example', 'new'), { id: 2 });
    t.match(await directory.setPassword('ann@bücher.example', 'new'), { id: 1 });
    t.equal(await directory.rename('ann@bücher.example', 'ann@bücher.example'), 'taken');
    t.equal(
      await listUsers(directory),
      [
        '1\tAnn@bücher.example\tenabled',
        '2\tann@xn--bcher-kva.example\tenabled\tsame account as 1',
        '3\tbob@bücher.example\tenabled',
        '4\teve@xn--bcher-kva.example\tenabled',
      ].join('\n'),
    );
    t.match(await directory.rename('ann@xn--bcher-kva.example', 'anne@bücher.example'), { id: 2 });
    t.match(await directory.rename('ann@xn--bcher-kva.example', 'Ann@Bücher.example'), { id: 1 });
    t.notMatch(await listUsers(directory), 'same account');
    // Opened again by a process of the earlier version: unchanged users are found as before.
    t.match(await directory.findByEmail('bob@bücher.example'), { id: 3 });
  },
);

t.test('a password is set, and a user is disabled and enabled again', async (t) => {
  const { directory } = open(t);
  await directory.add('ada@example.com', 'h1');
  t.match(await directory.setPassword('ada@example.com', 'h2'), { id: 1, hash: 'h2', disabled: false });
  t.match(await directory.setDisabled('ada@example.com', true), { hash: 'h2', disabled: true });
  t.match(await directory.setDisabled('ada@example.com', false), { disabled: false });
  t.equal(await directory.setPassword('eve@example.com', 'h'), undefined);
  t.equal(await directory.setDisabled('eve@example.com', true), undefined);
  t.equal((await directory.list()).length, 1);
});

t.test('users persist after the process ends', async (t) => {
  const { directory, path } = open(t);
  await directory.add('ada@example.com', 'h1');
  await directory.close();
  t.match(await open(t, path).directory.findByEmail('ada@example.com'), { id: 1, hash: 'h1' });
});

t.test('only the file owner can read the hashes', async (t) => {
  const { path } = open(t);
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test('a closed directory throws, and so does one that cannot be opened', async (t) => {
  const { directory } = open(t);
  await directory.close();
  await t.rejects(directory.health(), DirectoryUnavailableError);
  await t.rejects(directory.findById(1), DirectoryUnavailableError);
  await t.rejects(directory.findByEmail('ada@example.com'), DirectoryUnavailableError);

  const file = join(tempDir(t), 'file');
  writeFileSync(file, '');
  t.throws(() => openEmbeddedDirectory(join(file, 'users.db')), DirectoryUnavailableError);
});

t.test('a file: URL opens it, relative to the given folder', async (t) => {
  const root = tempDir(t);
  const directory = await openDirectory('file:users.db', root);
  t.teardown(() => directory.close());
  await t.resolves(directory.health());
  t.ok(statSync(join(root, 'users.db')).isFile());
});

t.test(
  'a deleted user and an earlier address leave no byte in any file, also beside a running service',
  async (t) => {
    const { directory, path } = open(t);
    const service = open(t, path).directory;
    for (let n = 0; n < 300; n++) await directory.add(`user-${n}@example.com`, `hash-${n}-of-a-password`);
    t.match(await service.findByEmail('user-100@example.com'), { hash: 'hash-100-of-a-password' });
    t.equal(
      await renameUser(directory, 'user-7@example.com', 'other@example.com'),
      'user 8 is other@example.com now',
    );
    t.equal(await deleteUser(directory, 'user-100@example.com', changeOnly), 'deleted user-100@example.com');
    t.strictSame(foundBeside(path, ['user-7@', 'user-100@', 'hash-100-']), []);
    t.strictSame(foundBeside(path, ['user-101@', 'other@', 'hash-7-']), ['user-101@', 'other@', 'hash-7-']);
    t.equal(await service.findByEmail('user-100@example.com'), undefined);
    t.match(await service.findByEmail('other@example.com'), { id: 8 });
  },
);

t.test('an earlier password hash is gone when the file has been closed', async (t) => {
  const { directory, path } = open(t);
  await directory.add('ada@example.com', 'the-first-hash');
  await directory.add('bob@example.com', 'a hash');
  // Longer, so that its row does not fit in place of the earlier one.
  await directory.setPassword('ada@example.com', 'the-second-hash, which is longer');
  await directory.close();
  t.strictSame(foundBeside(path, ['the-first-hash', 'the-second-hash']), ['the-second-hash']);
});

t.test('remains from before deleted rows were overwritten go with the next deletion', async (t) => {
  const { directory, path } = open(t);
  for (const email of ['ada@example.com', 'bob@example.com', 'eve@example.com'])
    await directory.add(email, 'a hash');
  const earlier = openDatabase(path, 1000);
  earlier.exec("PRAGMA secure_delete = OFF; DELETE FROM user WHERE email = 'bob@example.com'");
  earlier.close();
  t.strictSame(foundBeside(path, ['bob@']), ['bob@']);
  await deleteUser(directory, 'ada@example.com', changeOnly);
  t.strictSame(foundBeside(path, ['ada@', 'bob@', 'eve@']), ['eve@']);
});

t.test('a deletion beside a long reader says that the old data may remain', async (t) => {
  const { directory, path } = open(t);
  await directory.add('ada@example.com', 'a hash');
  const reader = openDatabase(path, 1000);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM user').get();
  t.match(
    await deleteUser(directory, 'ada@example.com', changeOnly),
    /^deleted ada@example\.com; the file could not be rewritten/,
  );
  t.equal(await directory.findByEmail('ada@example.com'), undefined);
  reader.exec('COMMIT');
  reader.close();
});

/** Returns the texts that occur in the files of a folder. @param path of one of them */
function foundBeside(path: string, texts: readonly string[]): string[] {
  const folder = dirname(path);
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  return texts.filter((text) => bytes.some((content) => content.includes(text)));
}
