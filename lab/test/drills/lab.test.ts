// A drill's resources: leftovers are found and named.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { openLab } from '../../src/drills/servers/lab.js';

t.test('a lab in which everything is closed leaves nothing', async (t) => {
  const lab = openLab(process.env);
  const closed: number[] = [];
  lab.onClose(() => closed.push(1));
  lab.onClose(() => closed.push(2));
  writeFileSync(join(lab.folder, 'data'), 'x');
  t.same(await lab.close(), []);
  t.same(closed, [2, 1], 'the last thing that was opened is closed first');
  t.notOk(existsSync(lab.folder));
});

t.test('leftover processes, listening ports and temporary files are found', async (t) => {
  const lab = openLab(process.env);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    env: lab.environment as NodeJS.ProcessEnv,
    stdio: 'ignore',
  });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const port = await lab.freePort();
  const server = createServer().listen(port, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  writeFileSync(join(lab.environment.TMPDIR ?? '', 'forgotten'), 'x');
  const left = (await lab.close()).join('\n');
  t.match(left, new RegExp(`^process ${child.pid} `, 'm'));
  t.match(left, new RegExp(`^something listens on port ${port}$`, 'm'));
  t.match(left, /^file forgotten in the folder for temporary files$/m);
  t.match(left, /^1 TCPServerWrap of the drill itself$/m);
});

t.test('something that cannot be closed is named, and the rest is closed', async (t) => {
  const lab = openLab(process.env);
  let isClosed = false;
  lab.onClose(() => {
    isClosed = true;
  });
  lab.onClose(() => {
    throw new Error('it does not close');
  });
  t.same(await lab.close(), ['closing failed: it does not close']);
  t.ok(isClosed);
});
