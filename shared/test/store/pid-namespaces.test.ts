// Two containers on one file: a process has the same id in each of them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dieOften } from '@tollgate/test-support/deaths.js';
import { namespacesMissing, nodeInNamespace } from '@tollgate/test-support/pid-namespace.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openEmbeddedStore } from '../../src/store/embedded-store.js';

const INCREMENT = fileURLToPath(new URL('./programs/increment.js', import.meta.url));
const skip = namespacesMissing();
const { execPath, execArgv } = nodeInNamespace;

async function runInNamespace(args: readonly string[]): Promise<string> {
  const child = spawn(execPath, [...execArgv, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return out;
}

t.test('none of 900 increments by three processes with the same id is lost', { skip }, async (t) => {
  t.equal(await runInNamespace(['-p', 'process.pid']), '1\n');
  const path = join(tempDir(t), 'store');
  await Promise.all([1, 2, 3].map(() => runInNamespace([INCREMENT, path, '300'])));
  const store = openEmbeddedStore(path);
  t.teardown(() => store.close());
  t.equal(await store.read('count'), '900');
});

t.test(
  'killing one of three processes with the same id harms neither the others nor the file',
  { skip },
  async (t) => {
    const { stuck, otherDeaths, lost, commits } = await dieOften(tempDir(t), 'SIGKILL', 8, nodeInNamespace);
    t.strictSame({ stuck, otherDeaths, lost }, { stuck: 0, otherDeaths: 0, lost: 0 });
    t.ok(commits > 8, `${commits} commits`);
  },
);
