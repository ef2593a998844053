// The audit file is rotated each day, and rotated files are removed by age.

import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openAuditFile } from '../../src/audit/open-audit-trail.js';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 24, 23, 59);

/** A writer with a clock of its own, that writes lines like those of a service. */
function writerOf(path: string, clock: { nowMs: number }, days = 3) {
  const sink = openAuditFile(path, { days, clock: () => clock.nowMs });
  return {
    write(number: number) {
      const time = new Date(clock.nowMs).toISOString();
      sink.write(JSON.stringify({ type: 'audit', version: 1, time, number }));
      // The file system's time follows the clock of the test.
      utimesSync(path, clock.nowMs / 1000, clock.nowMs / 1000);
    },
    close: () => sink.close(),
  };
}

const numbersIn = (path: string): number[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).number);

t.test('each day has a file, and files older than the days are removed', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'audit.log');
  const clock = { nowMs: START };
  const writer = writerOf(path, clock);
  writer.write(1);
  t.strictSame(readdirSync(folder), ['audit.log']);
  clock.nowMs += 2 * 60_000;
  writer.write(2);
  const [first = '', rotated = '', ...others] = readdirSync(folder);
  t.strictSame([first, others], ['audit.log', []]);
  t.match(rotated, /^audit\.log\.2026-11-24\.[0-9a-f]{4}$/, 'the day of its last line, in UTC');
  t.strictSame([numbersIn(join(folder, rotated)), numbersIn(path)], [[1], [2]]);
  for (let day = 0; day < 3; day++) {
    clock.nowMs += DAY;
    t.ok(readdirSync(folder).includes(rotated), `kept on day ${day + 1}`);
    writer.write(3 + day);
  }
  t.notOk(readdirSync(folder).includes(rotated), 'lines are kept three days, not four');
  t.equal(readdirSync(folder).length, 4);
  writer.close();
});

t.test('a restarted service finds the day in the first line; files of others stay', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'audit.log');
  const others = ['audit.log-20200101', 'audit.log.1', 'audit.log.2020-01-01', 'other.log.2020-01-01.abcd'];
  for (const name of others) writeFileSync(join(folder, name), 'x');
  const clock = { nowMs: START };
  const before = writerOf(path, clock);
  before.write(1);
  before.close();
  clock.nowMs += 5 * DAY;
  const after = writerOf(path, clock);
  after.write(2);
  after.close();
  t.strictSame(numbersIn(path), [2]);
  for (const name of others) t.ok(readdirSync(folder).includes(name), name);
});

t.test('several writers lose no line and write none twice', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'audit.log');
  const clocks = [0, 1, 2, 3].map((n) => ({ nowMs: START + n * 20_000 }));
  const writers = clocks.map((clock) => writerOf(path, clock, 300));
  let number = 0;
  for (let round = 0; round < 400; round++) {
    for (const [at, writer] of writers.entries()) {
      const clock = clocks[at];
      if (clock !== undefined) clock.nowMs += DAY / 50;
      writer.write(number++);
    }
  }
  for (const writer of writers) writer.close();
  const all = readdirSync(folder).flatMap((name) => numbersIn(join(folder, name)));
  t.strictSame(
    all.sort((one, other) => one - other),
    Array.from({ length: number }, (_, at) => at),
  );
  t.ok(readdirSync(folder).length >= 8, 'a file for each day at least');
});

t.test('a file that cannot be rotated is written on', async (t) => {
  const folder = tempDir(t);
  const [path, real] = [join(folder, 'audit.log'), join(folder, 'real')];
  symlinkSync(real, path);
  const clock = { nowMs: START };
  const writer = writerOf(path, clock);
  writer.write(1);
  clock.nowMs += DAY;
  writer.write(2);
  t.strictSame(numbersIn(real), [1, 2], 'a link is the business of whoever made it');
  renameSync(real, join(folder, 'moved'));
  writer.write(3);
  t.strictSame(numbersIn(real), [3]);
  writer.close();
});

t.test('without write access to the folder the service does not start', async (t) => {
  if (process.getuid?.() === 0) return t.comment('the superuser may write everywhere');
  const folder = tempDir(t);
  const path = join(folder, 'audit.log');
  writeFileSync(path, '');
  chmodSync(folder, 0o500);
  t.teardown(() => chmodSync(folder, 0o700));
  t.throws(() => openAuditFile(path, { days: 1 }), {
    name: 'ConfigurationError',
    lines: [/^AUDIT_LOG_DAYS needs write access/],
  });
  t.doesNotThrow(() => openAuditFile(path).close());
});
