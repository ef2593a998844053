// The directory in one file.

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { DirectoryUnavailableError } from '../../src/directory/directory.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { openDirectory } from '../../src/directory/open-directory.js';
import { testDirectory } from './directory-contract.js';

function open(t: Test, path = join(tempDir(t), 'data', 'users.db')) {
  const directory = openEmbeddedDirectory(path);
  t.teardown(() => directory.close());
  return { directory, path };
}

t.test('it keeps the contract of a directory', async (t) => {
  await testDirectory(t, async (t) => {
    const { directory } = open(t);
    const ada = await directory.add('Ada@Example.com', 'hash of ada');
    await directory.add('bob@example.com', 'hash of bob');
    const bob = await directory.setDisabled('bob@example.com', true);
    if (ada === undefined || bob === undefined) throw new TypeError('the users were not added');
    return { directory, ada, bob };
  });
});

t.test('users get the ids 1, 2, 3 … and keep them', async (t) => {
  const { directory } = open(t);
  t.strictSame(await directory.list(), []);
  t.strictSame(await directory.add(' Ada@Example.com ', 'h1'), {
    ...{ id: 1, email: 'Ada@Example.com', hash: 'h1', disabled: false },
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

t.test('one address is one user in every spelling', async (t) => {
  const { directory } = open(t);
  await directory.add('ada@example.com', 'h1');
  t.equal(await directory.add('ＡＤＡ@Example.COM ', 'h2'), undefined);
  t.match(await directory.list(), [{ hash: 'h1' }]);
  const races = await Promise.all(Array.from({ length: 20 }, () => directory.add('b@example.com', 'h')));
  t.equal(races.filter((user) => user !== undefined).length, 1);
});

t.test('a password is set and a user disabled and enabled again', async (t) => {
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

t.test('only the owner of the file can read the hashes', async (t) => {
  const { path } = open(t);
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test('a closed directory and one that cannot be opened throw', async (t) => {
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
