// The text format of records.

import fc from 'fast-check';
import t from 'tap';
import { formatAttempts, parseAttempts } from '../../../src/challenges/attempts/attempts.js';
import {
  encodeConsumedRecord,
  encodePowTail,
  encodeVerifiedTail,
  formatAnswerRecord,
  parseAnswerRecord,
  parseConsumedRecord,
  parsePowRecord,
  parseVerifiedRecord,
} from '../../../src/challenges/store/records.js';

const hex = (digits: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
const name = fc.stringMatching(/^[A-Za-z0-9_.@:/-]{1,80}$/);
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const address = fc.option(hex(32));
const scope = fc.option(fc.record({ keyId: hex(8), account: hex(32) }));
const pow = fc.record({ floor: fc.nat(24), algorithm: name, keyId: hex(8), salt: hex(32), address, scope });
const verified = fc.record({
  verifiedBy: fc.constantFrom('answer' as const, 'verify' as const),
  type: name,
  keyId: hex(8),
  address,
  rest: fc.stringMatching(/^[a-z0-9]+( [a-z0-9]+){0,5}$/),
});
const ofPreset = fc.tuple(verified, name).map(([part, preset]) => ({ ...part, preset }));
const answer = fc.record({
  preset: name,
  driver: name,
  seed: fc.nat(),
  fold: fc.boolean(),
  answer: hex(32),
});
const untimed = answer.map((part) => ({ ...part, untimed: true as const }));
const alone = fc.oneof(answer, untimed).map((part) => ({ ...part, alone: true as const }));

t.test('an encoded record decodes to the same record', async (t) => {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(pow, fc.nat(24), time, (part, difficulty, issuedAtMs) => {
        const read = parsePowRecord(`${difficulty} ${issuedAtMs} ${encodePowTail(part)}`);
        return read !== null && same({ ...part, difficulty, issuedAtMs }, { ...part, ...read });
      }),
    ),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.oneof(verified, ofPreset), time, (part, issuedAtMs) => {
        const read = parseVerifiedRecord(`${issuedAtMs} ${encodeVerifiedTail(part)}`);
        return read !== null && same({ ...part, issuedAtMs }, { ...part, ...read });
      }),
    ),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.oneof(answer, untimed, alone), (part) => {
        const read = parseAnswerRecord(formatAnswerRecord(part));
        return read !== null && same(part, { ...part, ...read });
      }),
    ),
  );
});

t.test('an invalid record decodes to null', async (t) => {
  const salt = '0'.repeat(32);
  const account = '0'.repeat(32);
  t.not(parsePowRecord(`16 1 16 sha256 01954fbf ${salt} - -`), null);
  t.not(parsePowRecord(`16 1 16 sha256 01954fbf ${salt} - 01954fbf:${account}`), null);
  for (const line of [
    '',
    'x',
    `16 1 16 sha256 01954fbf ${salt}`,
    `16 1 16 sha256 01954fbf ${salt.slice(1)} - -`,
    `16 1 16 sha256 01954fbf ${salt}0 - -`,
    `16 1 16 sha256 01954fbf ${salt.slice(1)}G - -`,
    `-1 1 16 sha256 01954fbf ${salt} - -`,
    `1.5 1 16 sha256 01954fbf ${salt} - -`,
    `NaN 1 16 sha256 01954fbf ${salt} - -`,
    `16 x 16 sha256 01954fbf ${salt} - -`,
    `16 1 16 sha256 short ${salt} - -`,
    `16 1 16 sha256 01954fbf ${salt} somebody -`,
    `16 1 16 sha256 01954fbf ${salt} - somebody`,
    `16 1 16 sha256 01954fbf ${salt} - 01954fbf:`,
    `16 1 16 sha256 01954fbf ${salt} - :${account}`,
    `!claim 5 16 1 16 sha256 01954fbf ${salt} - -`,
  ]) {
    t.equal(parsePowRecord(line), null, line);
    t.equal(parseVerifiedRecord(line), null, line);
    t.equal(parseAnswerRecord(line), null, line);
  }
});

t.test('a consumed record returns claim, time and record', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(hex(32), time, fc.string(), (claim, atMs, record) => {
        const read = parseConsumedRecord(encodeConsumedRecord(claim, atMs, record));
        return read?.claim === claim && read.takenAtMs === atMs && read.record === record;
      }),
    ),
  );
  t.equal(parseConsumedRecord('16 1 16 sha256'), null);
});

t.test('an encoded list of attempts decodes to the same list', async (t) => {
  const attempts = fc.array(fc.record({ claim: hex(32), atMs: time }));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        attempts,
        (list) =>
          JSON.stringify(parseAttempts(formatAttempts(list))) ===
          JSON.stringify(list.map(({ claim, atMs }) => ({ claim, atMs }))),
      ),
    ),
  );
  t.strictSame(parseAttempts(undefined), []);
});
