// The logs of earlier runs are kept, and no log grows without limit.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { openRotatedLog } from '@tollgate/tools/launcher/rotated-log.js';
import t from 'tap';

t.test('a start keeps the log of the previous run', async (t) => {
  const folder = join(tempDir(t), 'logs');
  const path = join(folder, 'a-service.log');
  for (const run of ['first', 'second', 'third']) {
    const log = openRotatedLog(path);
    log.write(run);
    t.equal(log.read(), `${run}\n`);
    log.close();
  }
  t.strictSame(readdirSync(folder).sort(), ['a-service.1.log', 'a-service.2.log', 'a-service.log']);
  t.equal(readFileSync(join(folder, 'a-service.1.log'), 'utf8'), 'second\n');
  t.equal(readFileSync(join(folder, 'a-service.2.log'), 'utf8'), 'first\n');
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test('a run without output replaces no log', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'a.log');
  writeFileSync(path, 'before\n');
  for (let run = 0; run < 3; run++) openRotatedLog(path).close();
  t.strictSame(readdirSync(folder).sort(), ['a.1.log', 'a.log']);
});

t.test('files are bounded in size and number, for this and previous runs', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'a.log');
  writeFileSync(path, 'before\n');
  const log = openRotatedLog(path, { keep: 3, bytes: 100 });
  t.teardown(() => log.close());
  const lines = Array.from({ length: 60 }, (_, at) => `line ${String(at).padStart(4, '0')}`);
  for (const line of lines.slice(0, 15)) log.write(line);
  t.equal(
    log.read(),
    lines
      .slice(0, 15)
      .map((line) => `${line}\n`)
      .join(''),
    'the complete log of this run is there',
  );
  t.equal(readFileSync(join(folder, 'a.2.log'), 'utf8'), 'before\n');
  for (const line of lines.slice(15)) log.write(line);
  t.strictSame(readdirSync(folder).sort(), ['a.1.log', 'a.2.log', 'a.3.log', 'a.log']);
  for (const name of readdirSync(folder)) t.ok(statSync(join(folder, name)).size <= 100, name);
  t.match(log.read(), /^line [\s\S]*line 0059\n$/, 'the newest lines are kept');
  log.write('x'.repeat(200));
  t.equal(readFileSync(path, 'utf8'), `${'x'.repeat(200)}\n`, 'a line is never cut');
});
