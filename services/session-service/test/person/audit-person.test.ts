// One person's lines in the files of the audit stream.

import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { auditFilesOf, eraseAuditLines, findAuditLines } from '../../src/person/audit-person.js';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const ADDRESS = 'c'.repeat(32);
const HEAD = { type: 'audit', version: 1, time: '2026-11-26T10:00:00.000Z', service: 'session-service' };

const lineOf = (event: string, about: object) => JSON.stringify({ ...HEAD, event, ...about });
const login = (uid: number | string, account: string) =>
  lineOf('login', { uid, sid: 'S'.repeat(22), account, address: ADDRESS, request: 'req-1' });

const person = { uids: new Set([7]), accounts: new Set([ANN]) };

const LINES = [
  login(7, ANN),
  login(70, BOB),
  login('7a', BOB),
  lineOf('login_failed', { account: ANN, address: ADDRESS, request: 'req-2' }),
  lineOf('login_failed', { account: BOB, address: ADDRESS }),
  lineOf('sign_in_code_created', { uid: 7 }),
  lineOf('events_suppressed', {
    suppressed: 'login_failed',
    count: 9,
    since: HEAD.time,
    accounts: [
      { account: ANN, count: 5 },
      { account: BOB, count: 4 },
    ],
  }),
  // An earlier user of the same address.
  login(3, ANN),
  'no JSON aaaa "uid":7,',
];

const objectsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

t.test('lines are found by user id and account, in all files', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'audit.log');
  writeFileSync(path, `${LINES.join('\n')}\n`);
  for (const name of ['audit.log.1', 'audit.log-20261101', 'audit.log.2026-11-25.0a1b'])
    writeFileSync(join(folder, name), `${login(7, ANN)}\n`);
  for (const name of ['audit.log.2.gz', 'audit.logs', 'other.log']) writeFileSync(join(folder, name), 'x');
  const { files, closed } = await auditFilesOf(path);
  t.equal(files.length, 4);
  t.strictSame(closed, [join(folder, 'audit.log.2.gz')]);
  const found = await findAuditLines(files, person);
  t.equal(found.length, 4 + 3);
  t.strictSame(await auditFilesOf(join(folder, 'missing', 'audit.log')), { files: [], closed: [] });
});

t.test('a file that may not be changed is reported', async (t) => {
  if (process.getuid?.() === 0) return t.comment('the superuser may change everything');
  const path = join(tempDir(t), 'audit.log');
  writeFileSync(path, `${login(7, ANN)}\n`, { mode: 0o400 });
  t.strictSame(await auditFilesOf(path), { files: [path], closed: [] });
  t.strictSame(await auditFilesOf(path, 'change'), { files: [], closed: [path] });
});

t.test('an erased line names nobody, and the event still counts', async (t) => {
  const path = join(tempDir(t), 'audit.log');
  writeFileSync(path, `${LINES.join('\n')}\n`, { mode: 0o600 });
  const before = { ...statSync(path), lines: readFileSync(path, 'utf8').split('\n') };
  t.equal(await eraseAuditLines([path], person), 4);
  const after = statSync(path);
  t.strictSame([after.size, after.ino, after.mode], [before.size, before.ino, before.mode]);
  const lines = readFileSync(path, 'utf8').split('\n');
  for (const at of [1, 2, 4, 7, 8]) t.equal(lines[at], before.lines[at], 'lines of others are the same');
  const text = [0, 3, 5, 6].map((at) => lines[at]).join('\n');
  t.notMatch(text, ANN);
  t.notMatch(text, /"uid"|"sid"|"request"/);
  const [own, , , failed, , code, summary] = objectsIn(path);
  t.strictSame(own, { erased: true, ...HEAD, event: 'login' });
  t.strictSame(
    failed,
    { erased: true, ...HEAD, event: 'login_failed', address: ADDRESS },
    'maybe an attacker',
  );
  t.match(code, { event: 'sign_in_code_created' });
  t.match(summary, { count: 9, accounts: [{ account: BOB, count: 4 }] });
  t.equal(summary.accounts.length, 1);
  t.equal(await eraseAuditLines([path], person), 0, 'again');
  t.strictSame(await findAuditLines([path], person), []);
});

t.test('a large file that is written meanwhile stays whole', async (t) => {
  const path = join(tempDir(t), 'audit.log');
  const lines = Array.from({ length: 12_000 }, (_, at) => (at % 3 === 0 ? login(7, ANN) : login(8, BOB)));
  writeFileSync(path, `${lines.join('\n')}\n`);
  t.ok(statSync(path).size > 2_000_000, 'several chunks');
  const erasing = eraseAuditLines([path], person);
  let appended = 0;
  let isDone = false;
  void erasing.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    appendFileSync(path, `${login(9, BOB)}\n`);
    appended += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.equal(await erasing, 4000);
  const objects = objectsIn(path);
  t.equal(objects.length, 12_000 + appended);
  t.equal(objects.filter(({ erased }) => erased === true).length, 4000);
  t.equal(objects.filter(({ uid }) => uid === 8).length, 8000);
});

t.test('a last line without its line break is left for the next time; a removed file is none', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'audit.log');
  writeFileSync(path, login(7, ANN));
  t.equal(await eraseAuditLines([path, join(folder, 'gone')], person), 0);
  appendFileSync(path, '\n');
  t.equal(await eraseAuditLines([path], person), 1);
});
