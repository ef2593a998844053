// Logs of a local system: the part that reaches the terminal, the message about a store, and the kept files.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { readinessMessage } from '@tollgate/tools/launcher/readiness.js';
import { openRotatedLog } from '@tollgate/tools/launcher/rotated-log.js';
import { readableLine } from '@tollgate/tools/launcher/terminal-log.js';
import t from 'tap';

const line = (entry: object) => readableLine('session-service', JSON.stringify(entry));

const body = (checks: Record<string, string>) => JSON.stringify({ status: 'failed', checks });
const redis = { STORE_URL: 'redis://user:secret-word@10.0.0.1:6379/2' };

t.test('warnings and errors become one readable line', async (t) => {
  t.equal(
    line({ level: 'warn', msg: 'keys may be evicted' }),
    'session-service warning: keys may be evicted',
  );
  t.equal(
    line({ level: 'error', msg: 'request', err: { message: 'boom' } }),
    'session-service error: request: boom',
  );
  t.equal(line({ level: 'fatal', msg: 'boom', err: { message: 'boom' } }), 'session-service error: boom');
});

t.test('everything else stays in the file', async (t) => {
  t.equal(line({ level: 'info', msg: 'request' }), undefined);
  t.equal(line({ level: 'warn', msg: 'not ready', check: 'store' }), undefined);
  t.equal(line({ level: 'warn', msg: 'the second one draws', driver: 'x' }), undefined);
  t.equal(readableLine('session-service', 'plain words'), undefined);
  t.equal(readableLine('session-service', '{broken'), undefined);
});

t.test('an unreachable store is named once, with its variable and without its password', async (t) => {
  const line = readinessMessage(
    'session-service',
    body({ store: 'failed', challenge_store: 'failed' }),
    redis,
  );
  t.equal(line, 'redis://10.0.0.1:6379/2 cannot be reached (STORE_URL).');
  t.equal(readinessMessage('challenge-service', body({ store: 'failed', images: 'ok' }), redis), line);
});

t.test('a separate challenge store is distinguished', async (t) => {
  const environment = { ...redis, CAPTCHA_CACHE_STORE: 'redis://:pw@10.0.0.2:6379' };
  const line = 'redis://10.0.0.2:6379 cannot be reached (CAPTCHA_CACHE_STORE).';
  t.equal(readinessMessage('challenge-service', body({ store: 'failed' }), environment), line);
  const checks = body({ store: 'ok', challenge_store: 'failed', directory: 'ok' });
  t.equal(readinessMessage('session-service', checks, environment), line);
});

t.test('an unexpected response is shown unchanged', async (t) => {
  t.equal(
    readinessMessage('session-service', 'bad gateway', {}),
    'session-service is not ready: bad gateway',
  );
  t.equal(
    readinessMessage('session-service', body({ new_part: 'failed' }), {}),
    'session-service is not ready: new_part',
  );
});

t.test('a service without an optional part is ready, unless the part is a store', async (t) => {
  const degraded = (checks: object) => JSON.stringify({ status: 'degraded', checks });
  t.equal(
    readinessMessage('challenge-service', degraded({ store: 'ok', images: 'failed' }), redis),
    undefined,
  );
  const users = { USERS_URL: 'postgres://user:secret-word@10.0.0.3/shop' };
  t.equal(
    readinessMessage('session-service', degraded({ store: 'ok', directory: 'failed' }), users),
    'postgres://10.0.0.3/shop cannot be used (USERS_URL).',
  );
  const ofFile = readinessMessage('session-service', degraded({ store: 'ok', directory: 'failed' }), {});
  t.equal(ofFile, 'The user file cannot be used (USERS_URL).', 'rejected as a different directory');
});

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
