// Log lines about the store file: use by another machine, and unsuitable locations.

import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t from 'tap';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';
import {
  lookAtPlace,
  machineId,
  otherMachines,
  recordMachine,
  watchEmbedded,
} from '../../src/store/watch/embedded-watch.js';

const HERE = { network: undefined, isFuse: false, isMountedAlone: false, hasSecondName: false };
const skip = machineId() === undefined ? 'this system tells no id of the machine' : false;

t.test('another machine that uses the file is logged once, an ended one is not', { skip }, async (t) => {
  const store = openEmbeddedStore(join(tempDir(t), 'tollgate.db'));
  const there = openEmbeddedStore(store.path);
  const lines: { about: object; message: string }[] = [];
  const log = { info() {}, warn: (about: object, message: string) => void lines.push({ about, message }) };
  // Like a machine before its restart: its entry stays until it expires.
  await recordMachine(there, 'before');
  const watch = watchEmbedded(store, { log, isUser: true }, 10);
  t.teardown(async () => {
    await watch.stop();
    await there.close();
    await store.close();
  });
  const own = `machine:${machineId()}`;
  await until(async () => (await there.read(own)) !== undefined, 'this machine is recorded');
  const recorded = await there.read(own);
  await until(async () => (await there.read(own)) !== recorded, 'and renews its entry');
  t.strictSame(lines, []);
  t.strictSame(
    (await otherMachines(store)).map(({ id }) => id),
    ['before'],
  );
  for (let times = 0; times < 2; times++) {
    await until(async () => {
      await recordMachine(there, 'other');
      return lines.length > 0;
    }, 'it is told');
  }
  t.match(lines, [{ about: { path: store.path }, message: /^another machine uses the file/ }]);
  t.equal(lines.length, 1);
});

t.test('a process that only inspects a store writes nothing to it', async (t) => {
  const store = openEmbeddedStore(join(tempDir(t), 'tollgate.db'));
  t.teardown(() => store.close());
  const watch = watchEmbedded(store, { log: { info() {}, warn() {} }, isUser: false });
  await watch.stop();
  t.strictSame(await store.keys(''), []);
});

t.test("the file's location is described, whether the file exists or not", async (t) => {
  const path = join(tempDir(t), 'a folder', 'tollgate.db');
  t.strictSame(lookAtPlace(path), HERE);
  mkdirSync(join(path, '..'));
  writeFileSync(path, '');
  t.strictSame(lookAtPlace(path), HERE);
  linkSync(path, `${path}.copy`);
  t.strictSame(lookAtPlace(path), { ...HERE, hasSecondName: true });
});

const hasMounts = spawnSync('unshare', ['--mount', 'true']).status === 0;
t.test(
  'a file mounted without its folder is recognised',
  { skip: hasMounts ? false : 'this user may not mount' },
  async (t) => {
    const folder = join(tempDir(t), 'a folder');
    mkdirSync(folder);
    for (const name of ['here.db', 'there.db']) writeFileSync(join(folder, name), '');
    const module = pathToFileURL(
      new URL('../../src/store/watch/embedded-watch.js', import.meta.url).pathname,
    );
    const look = `import('${module}').then((m) => console.log(JSON.stringify(m.lookAtPlace(process.argv[1]))))`;
    const script = 'mount --bind "$1" "$2" && exec "$3" -e "$4" "$2"';
    const paths = [join(folder, 'there.db'), join(folder, 'here.db')];
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', script, 'sh', ...paths, process.execPath, look],
      { encoding: 'utf8' },
    );
    t.equal(stderr, '');
    t.strictSame(JSON.parse(stdout), { isFuse: false, isMountedAlone: true, hasSecondName: false });
  },
);
