// The contract of every directory implementation.

import { isUserId } from '@tollgate/shared/schemas';
import type { Test } from 'tap';
import { accountKeyOf, type Directory, type DirectoryUser } from '../../src/directory/directory.js';

/** A directory with exactly these two users. */
interface FilledDirectory {
  readonly directory: Directory & Required<Pick<Directory, 'saveHash'>>;
  /** Enabled, and found under the account key `ada@example.com`. */
  readonly ada: DirectoryUser;
  /** Disabled, and found under the account key `bob@example.com`. */
  readonly bob: DirectoryUser;
}

/** Runs the contract; `open` creates a new directory each time. The directory may close itself twice. */
export async function testDirectory(t: Test, open: (t: Test) => Promise<FilledDirectory>): Promise<void> {
  await t.test('a user is found by account key and by id', async (t) => {
    const { directory, ada, bob } = await open(t);
    t.strictSame(await directory.findByEmail('ada@example.com'), ada);
    t.strictSame(await directory.findById(ada.id), ada);
    t.strictSame(await directory.findByEmail('bob@example.com'), bob);
    t.strictSame(await directory.findById(bob.id), bob);
    t.equal(ada.disabled, false);
    t.equal(bob.disabled, true);
    t.ok(isUserId(ada.id));
  });

  await t.test('a user found under an account key is counted under it', async (t) => {
    const { directory } = await open(t);
    for (const key of ['ada@example.com', 'bob@example.com']) {
      const user = await directory.findByEmail(key);
      t.equal(user && accountKeyOf(user), key);
      t.strictSame(user && (await directory.findById(user.id)), user, 'both ways give the same account');
    }
  });

  await t.test('no user is found under another key or id', async (t) => {
    const { directory } = await open(t);
    const hostile = ['', ' ', 'eve@example.com', '__proto__', "' or 1=1 --", '\0', 'é'.repeat(3000)];
    for (const key of hostile) t.equal(await directory.findByEmail(key), undefined);
    for (const id of [0, 1_000_000, Number.MAX_SAFE_INTEGER, '7x', 'nobody', 'x'.repeat(64)]) {
      t.equal(await directory.findById(id), undefined);
    }
  });

  await t.test('a hash is replaced only if the old one is unchanged', async (t) => {
    const { directory, ada, bob } = await open(t);
    t.equal(await directory.saveHash(ada.id, 'another hash', 'new hash'), false);
    t.strictSame(await directory.findById(ada.id), ada);
    t.equal(await directory.saveHash(ada.id, ada.hash, 'new hash'), true);
    t.strictSame(await directory.findByEmail('ada@example.com'), { ...ada, hash: 'new hash' });
    t.equal(await directory.saveHash(ada.id, ada.hash, 'newer hash'), false);
    t.equal(await directory.saveHash(1_000_000, ada.hash, 'new hash'), false);
    t.equal(await directory.saveHash('nobody', ada.hash, 'new hash'), false);
    t.strictSame(await directory.findById(bob.id), bob);
  });

  await t.test('of parallel replacements of one hash, one succeeds', async (t) => {
    const { directory, ada } = await open(t);
    const saved = await Promise.all(
      Array.from({ length: 20 }, (_, n) => directory.saveHash(ada.id, ada.hash, `hash ${n}`)),
    );
    t.equal(saved.filter(Boolean).length, 1);
    t.equal((await directory.findById(ada.id))?.hash, `hash ${saved.indexOf(true)}`);
  });

  await t.test('health resolves while the directory responds', async (t) => {
    const { directory } = await open(t);
    await t.resolves(directory.health());
  });
}
