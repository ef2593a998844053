// The audit stream's file: mode, rotation and a full disk.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openAuditFile, openAuditSink, openAuditTrail } from '../../src/audit/open-audit-trail.js';

const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');

t.test('the file is created for its owner alone, and appended to', async (t) => {
  const path = join(tempDir(t), 'audit.log');
  const first = openAuditFile(path);
  first.write('one');
  first.close();
  t.equal(statSync(path).mode & 0o777, 0o600);
  const [second, third] = [openAuditFile(path), openAuditFile(path)];
  second.write('two');
  third.write('three');
  second.write('four');
  second.close();
  third.close();
  t.strictSame(linesOf(path), ['one', 'two', 'three', 'four'], 'by several processes too');
});

t.test('a relative path is resolved from the root', async (t) => {
  const root = tempDir(t);
  const sink = openAuditSink({ path: 'audit.log', root, output: { write: () => t.fail('not there') } });
  sink.write('one');
  sink.close();
  t.strictSame(linesOf(join(root, 'audit.log')), ['one']);
});

t.test('after a rotation the next line reopens the file, without a signal', async (t) => {
  const path = join(tempDir(t), 'audit.log');
  const file = openAuditFile(path);
  t.teardown(() => file.close());
  file.write('before');
  renameSync(path, `${path}.1`);
  file.write('after');
  t.strictSame([linesOf(`${path}.1`), linesOf(path)], [['before'], ['after']]);
  t.equal(statSync(path).mode & 0o777, 0o600);
  rmSync(path);
  file.write('anew');
  t.strictSame(linesOf(path), ['anew']);
  writeFileSync(path, '');
  file.write('cut');
  t.strictSame(linesOf(path), ['cut'], 'one that was cut by copytruncate is not filled with zeros');
});

t.test('a file that cannot be opened causes one line with the variable', async (t) => {
  const folder = tempDir(t);
  mkdirSync(join(folder, 'a folder'));
  spawnSync('mkfifo', [join(folder, 'a pipe')]);
  for (const [name, reason] of [
    ['a folder', 'it is not a file'],
    ['a pipe', 'it is not a file'],
    ['missing/audit.log', 'ENOENT'],
  ] as const) {
    const path = join(folder, name);
    t.throws(() => openAuditFile(path), {
      name: 'ConfigurationError',
      lines: [new RegExp(`^AUDIT_LOG ${path} cannot be opened: ${reason}[^\\n]*$`)],
    });
  }
});

t.test('a full disk stops nothing: it is logged once, and lost lines are counted', async (t) => {
  const folder = tempDir(t);
  const [path, real] = [join(folder, 'audit.log'), join(folder, 'real.log')];
  symlinkSync('/dev/full', path);
  const told: object[] = [];
  let lost = 0;
  const trail = openAuditTrail({
    service: 'challenge-service',
    sink: openAuditSink({ path, root: folder, output: { write() {} } }),
    log: { error: (about) => told.push(about) },
    counters: {
      countEvent() {},
      countSuppressed() {},
      countLost() {
        lost += 1;
      },
    },
  });
  for (let times = 0; times < 3; times++) trail.write({ event: 'test_mode_on' });
  t.match(told, [{ err: { code: 'ENOSPC' } }]);
  t.equal(lost, 3);
  rmSync(path);
  symlinkSync(real, path);
  trail.write({ event: 'test_mode_on' });
  trail.write({ event: 'test_mode_on' });
  trail.close();
  t.match(
    linesOf(real).map((line) => JSON.parse(line)),
    [{ event: 'test_mode_on' }, { event: 'audit_lost', count: 3 }, { event: 'test_mode_on' }],
  );
  t.equal(linesOf(real).length, 3);
});
