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
  installWithApt(packages: readonly string[]): Promise<void>;
} = await import(new URL('../../../apt.js', import.meta.url).href);

/** Puts an `apt-get` first on the PATH that notes its arguments, and does not know the package `unknown`. */
function startApt(t: Test) {
  const folder = tempDir(t);
  const log = join(folder, 'log');
  const program = join(folder, 'apt-get');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> '${log}'\ncase "$*" in *unknown*) exit 100;; esac\n`);
  chmodSync(program, 0o755);
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
});
