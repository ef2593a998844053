// How `npm test` installs what the machine lacks: all packages in one call, and none that keeps the others away.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';

const {
  find,
  installWithApt,
}: {
  find(names: readonly string[], furtherFolders?: readonly string[]): string | undefined;
  installWithApt(packages: readonly string[], rare?: readonly string[]): Promise<void>;
} = await import(new URL('../../../apt.js', import.meta.url).href);

/**
 * Puts an `apt-get` first on the PATH that notes its arguments, and does not know the package `unknown`; and an `apt-cache`
 * that knows every other one, from the first update on or, with a list, at once.
 */
function startApt(t: Test, { hasList = false } = {}) {
  const folder = tempDir(t);
  const log = join(folder, 'log');
  const refuse = 'case "$*" in *unknown*) exit 100;; esac';
  const programs = {
    'apt-get': `echo "$@" >> '${log}'\n${refuse}`,
    'apt-cache': `${refuse}\n${hasList ? 'exit 0' : `test -e '${log}'`}`,
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const { PATH } = process.env;
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  return { folder, calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) };
}

t.test('a program is found by its first name that is there, on the PATH before elsewhere', async (t) => {
  const { folder } = startApt(t);
  t.equal(find(['no-such-program', 'apt-get']), join(folder, 'apt-get'));
  t.equal(find(['no-such-program']), undefined);
  const further = tempDir(t);
  writeFileSync(join(further, 'no-such-program'), '');
  t.equal(find(['no-such-program'], [further]), join(further, 'no-such-program'));
});

t.test('packages are installed for root', { skip: process.getuid?.() !== 0 && 'not root' }, async (t) => {
  const install = '-qq install -y --no-install-recommends -o DPkg::Lock::Timeout=600';
  await t.test('nothing is asked for when nothing is missing', async (t) => {
    const { calls } = startApt(t);
    await installWithApt([]);
    t.strictSame(calls(), []);
  });

  await t.test('all in one call', async (t) => {
    const { calls } = startApt(t);
    await installWithApt(['one', 'two']);
    t.strictSame(calls(), ['-qq update', `${install} one two`]);
  });

  await t.test('one that the system does not have is tried once', async (t) => {
    const { calls } = startApt(t);
    await installWithApt(['unknown']);
    t.strictSame(calls(), ['-qq update', `${install} unknown`]);
  });

  await t.test('one by one when the system does not have one of them', async (t) => {
    const { calls } = startApt(t);
    await installWithApt(['one', 'unknown', 'two']);
    t.strictSame(calls(), [
      '-qq update',
      `${install} one unknown two`,
      ...['one', 'unknown', 'two'].map((name) => `${install} ${name}`),
    ]);
  });

  await t.test('a rare one with the others, where the updated lists have it', async (t) => {
    const { calls } = startApt(t);
    await installWithApt(['one'], ['rare', 'unknown']);
    t.strictSame(calls(), ['-qq update', `${install} one rare`]);
  });

  await t.test('a rare one alone, where the lists have it', async (t) => {
    const { calls } = startApt(t, { hasList: true });
    await installWithApt([], ['rare']);
    t.strictSame(calls(), ['-qq update', `${install} rare`]);
  });

  await t.test('nothing for a rare one alone that is in no list', async (t) => {
    const { calls } = startApt(t, { hasList: true });
    await installWithApt([], ['unknown']);
    t.strictSame(calls(), []);
  });
});
