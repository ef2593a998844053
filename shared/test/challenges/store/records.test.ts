// The text format of records, attempts and passes.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import {
  type Attempt,
  FAILURES_BEFORE_WAIT,
  failuresOf,
  formatAttempts,
  hasClaim,
  MAX_ATTEMPTS,
  MOST_ENTRIES,
  OPEN_ATTEMPT_MS,
  parseAttempts,
  remembered,
  WAITS_MS,
  waitMs,
  withAttempt,
  withoutAttempt,
} from '../../../src/challenges/attempts/attempts.js';
import {
  formatPass,
  makePass,
  parsePass,
  passHash,
  presentsPass,
  readPass,
} from '../../../src/challenges/attempts/pass.js';
import {
  challengeKeys,
  configFingerprintKey,
  encodeConsumedRecord,
  encodePowTail,
  encodeVerifiedTail,
  formatAnswerRecord,
  isAcceptedAlone,
  parseAnswerRecord,
  parseConsumedRecord,
  parsePowRecord,
  parseVerifiedRecord,
  presetOf,
  readyKey,
  type VerifiedRecord,
} from '../../../src/challenges/store/records.js';

const hex = (digits: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
const name = fc.stringMatching(/^[A-Za-z0-9_.@:/-]{1,80}$/);
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const address = fc.option(hex(32));
const plain = { noNullPrototype: true };
const scope = fc.option(fc.record({ keyId: hex(8), account: hex(32) }, plain));
const pow = fc.record(
  { floor: fc.nat(24), algorithm: name, keyId: hex(8), salt: hex(32), address, scope },
  plain,
);
const withTerms = fc
  .tuple(pow, fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1, max: 24 }))
  .map(([part, ...terms]) => ({ ...part, algorithm: 'hashwx-1', terms }));
const verified = fc.record({
  verifiedBy: fc.constantFrom('answer' as const, 'verify' as const),
  type: name,
  keyId: hex(8),
  address,
  rest: fc.stringMatching(/^[a-z0-9]+( [a-z0-9]+){0,5}$/),
});
const ofPreset = fc
  .tuple(verified, name)
  .filter(([{ type }, preset]) => preset !== type)
  .map(([part, preset]) => ({ ...part, preset }));
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
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.oneof(pow, withTerms), fc.nat(24), time, (part, difficulty, issuedAtMs) =>
        isDeepStrictEqual(parsePowRecord(`${difficulty} ${issuedAtMs} ${encodePowTail(part)}`), {
          ...part,
          difficulty,
          issuedAtMs,
        }),
      ),
    ),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.oneof(verified, ofPreset), time, (part, issuedAtMs) =>
        isDeepStrictEqual(parseVerifiedRecord(`${issuedAtMs} ${encodeVerifiedTail(part)}`), {
          ...part,
          issuedAtMs,
        }),
      ),
    ),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.oneof(answer, untimed, alone), (part) =>
        isDeepStrictEqual(parseAnswerRecord(formatAnswerRecord(part)), { ...part }),
      ),
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
    `16 1 16 sha256 01954fbf ${salt} -`,
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

t.test('the terms of an algorithm are part of its record', async (t) => {
  const tail = `01954fbf ${'0'.repeat(32)} - -`;
  t.equal(parsePowRecord(`16 1 16 sha256 ${tail}`)?.terms, undefined);
  t.strictSame(parsePowRecord(`16 1 16 hashwx-1 ${tail} 5 8`)?.terms, [5, 8]);
  t.equal(parsePowRecord(`16 1 16 hashwx-1 ${tail} 0 8`), null, 'no exchange rate');
  t.equal(parsePowRecord(`16 1 16 hashwx-1 ${tail} 5 0`), null);
  t.equal(parsePowRecord(`16 1 16 hashwx-1 ${tail} 5 x`), null);
  t.equal(parsePowRecord(`16 1 16 hashwx-1 ${tail} 5`), null, 'too few terms');
  t.equal(parsePowRecord(`16 1 16 hashwx-1 ${tail}`)?.algorithm, 'hashwx-1', 'no solution solves it');
  t.strictSame(parsePowRecord(`16 1 16 sha256 ${tail} 5 8`)?.terms, [5, 8], 'SHA-256 reads none');
  t.strictSame(parsePowRecord(`16 1 16 later-2 ${tail} 5`)?.terms, [5], "a later version's algorithm");
});

t.test('a record names its preset, and whether it is accepted without work', async (t) => {
  const rest = formatAnswerRecord({
    preset: 'hard@f1',
    driver: 'canvas',
    seed: 1,
    fold: true,
    answer: '0'.repeat(32),
  });
  const record: VerifiedRecord = {
    issuedAtMs: 1,
    verifiedBy: 'answer',
    type: 'text',
    keyId: '01954fbf',
    address: null,
    rest,
  };
  t.equal(presetOf(record), 'hard');
  t.equal(presetOf({ ...record, rest: 'x' }), null);
  t.equal(presetOf({ ...record, verifiedBy: 'verify', type: 'own' }), 'own');
  t.equal(presetOf({ ...record, verifiedBy: 'verify', type: 'own', preset: 'mine' }), 'mine');
  t.strictSame(
    [record, { ...record, rest: `${rest} alone` }, { ...record, rest: 'alone' }].map(isAcceptedAlone),
    [false, true, false],
  );
  t.notOk(isAcceptedAlone({ ...record, verifiedBy: 'verify', rest: `${rest} alone` }));
});

t.test('keys have the documented names, those of a site below its name', async (t) => {
  const names = (site?: string) => {
    const keys = challengeKeys('captcha', (address) => address.slice(0, 2), site);
    const token = `Zz${'x'.repeat(38)}`;
    return [
      ...[keys.pow(token), keys.image(token), keys.receipt(token)],
      ...[keys.volume('abc'), keys.price('abc'), keys.cleared('abc')],
      ...[keys.limit('pow', 'abc'), keys.limit('image', 'abc'), keys.limit('pow', 'abc')],
      ...[keys.failures('acc'), keys.wait('acc', 'abc')],
      ...[keys.passes, keys.passUses('shop'), keys.passClaim('shop', 'claim')],
    ];
  };
  const rest = 'x'.repeat(38);
  const expected = [
    ...[`pow:{Zz}:${rest}`, `img:{Zz}:${rest}`, `receipt:{Zz}:${rest}`],
    ...['vol:{ab}:abc', 'price:{ab}:abc', 'cleared:{ab}:abc'],
    ...['limit:{ab}:abc:pow', 'limit:{ab}:abc:image', 'limit:{ab}:abc:pow'],
    ...['fail:{acc}', 'wait:{acc}:abc'],
    ...['passes:{passes}', 'pass-uses:{passes}:shop', 'pass-claim:{passes}:shop:claim'],
  ];
  t.strictSame(
    names(),
    expected.map((name) => `captcha:${name}`),
  );
  t.strictSame(
    names('blog'),
    expected.map((name) => `captcha:site:blog:${name}`),
  );
});

t.test('the keys of all processes have the documented names', async (t) => {
  t.strictSame([configFingerprintKey('captcha'), readyKey('captcha')], ['captcha:options', 'captcha:ready']);
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

// An account's attempt list, pair delays, and the format of passes.

const NOW = 1_800_000_000_000;
const attemptsAt = (times: readonly number[]): Attempt[] =>
  times.map((atMs, at) => ({ claim: `c${at}`, atMs }));

t.test('an attempt is remembered until the decay has passed, to the millisecond', async (t) => {
  const kept = remembered(attemptsAt([NOW - 1001, NOW - 1000, NOW - 999, NOW]), NOW, 1000);
  t.strictSame(
    kept.map(({ atMs }) => atMs),
    [NOW - 999, NOW],
  );
});

t.test('a pair is delayed from its fifth failure on, longer with each', async (t) => {
  const property = fc.property(
    fc.nat(12),
    fc.integer({ min: -1000, max: 1_000_000 }),
    (failures, laterMs) => {
      const times = Array.from({ length: failures }, (_, at) => NOW - (failures - 1 - at) * 1000);
      const [wait = 0] = WAITS_MS.slice(Math.min(failures - FAILURES_BEFORE_WAIT, WAITS_MS.length - 1));
      const expected = failures < FAILURES_BEFORE_WAIT ? 0 : Math.max(0, wait - laterMs);
      t.equal(waitMs(attemptsAt(times), NOW + laterMs), expected);
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
});

t.test('the delays are one minute, then twice as long each time, and fifteen minutes at most', async (t) => {
  const delays = [4, 5, 6, 7, 8, 9, 10, 100].map(
    (failures) => waitMs(attemptsAt(Array(failures).fill(NOW)), NOW) / 60_000,
  );
  t.strictSame(delays, [0, 1, 2, 4, 8, 15, 15, 15]);
});

t.test('an attempt is added once, and withdrawn by its claim', async (t) => {
  const one = withAttempt([], 'a', NOW);
  t.strictSame(one, [{ claim: 'a', atMs: NOW }]);
  t.strictSame(withAttempt(one, 'a', NOW + 5), one);
  const two = withAttempt(one, 'b', NOW + 5);
  t.strictSame(two, [...one, { claim: 'b', atMs: NOW + 5 }]);
  t.ok(hasClaim(two, 'b'));
  t.notOk(hasClaim(one, 'b'));
  t.strictSame(withoutAttempt(two, 'a'), two.slice(1));
  t.strictSame(withoutAttempt(two, 'c'), two);
});

t.test('a hundred failures are kept in addition to open attempts, a thousand entries at most', async (t) => {
  const list = (length: number, atMs: number) => attemptsAt(Array<number>(length).fill(atMs));
  const closed = NOW - OPEN_ATTEMPT_MS;
  t.equal(withAttempt(list(300, closed), 'new', NOW).length, MAX_ATTEMPTS + 1, 'the new one is open');
  t.equal(withAttempt(list(99, closed), 'new', NOW).length, 100);
  t.equal(withAttempt(list(300, closed + 1), 'new', NOW).length, 301);
  const most = withAttempt(list(MOST_ENTRIES, NOW), 'new', NOW);
  t.strictSame([most.length, most[0]?.claim, most.at(-1)?.claim], [MOST_ENTRIES, 'c1', 'new']);
  t.strictSame([failuresOf([]), failuresOf(list(100, NOW)), failuresOf(list(101, NOW))], [0, 100, 100]);
});

t.test('encoded attempts decode to the same attempts', async (t) => {
  const attempts = attemptsAt([NOW, NOW + 1]);
  t.equal(formatAttempts(attempts), `c0:${NOW} c1:${NOW + 1}`);
  t.strictSame(parseAttempts(formatAttempts(attempts)), attempts);
  t.strictSame(parseAttempts(''), []);
  t.strictSame(parseAttempts(undefined), []);
});

t.test('a pass is recognised by its form alone', async (t) => {
  const pass = makePass('ci-1');
  t.match(pass, /^tgp_ci-1_[A-Za-z0-9]{43}$/);
  t.strictSame(readPass(pass), { name: 'ci-1', hash: passHash(pass) });
  t.equal(passHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'SHA-256');
  const secret = 'A'.repeat(43);
  t.equal(readPass(`tgp_${'a'.repeat(32)}_${secret}`)?.name, 'a'.repeat(32));
  const wrong = [undefined, 7, [pass], '', `${pass}A`, ` ${pass}`, `x${pass}`, pass.slice(0, -1)];
  const names = ['', '-a', 'A', 'a_b', 'a'.repeat(33)].map((name) => `tgp_${name}_${secret}`);
  for (const text of [...wrong, ...names]) t.equal(readPass(text), null, String(text));
  for (const absent of [undefined, null, '']) t.notOk(presentsPass(absent));
  for (const present of [pass, 'x', 0, []]) t.ok(presentsPass(present));
});

t.test('an encoded pass decodes to the same pass', async (t) => {
  const stored = { name: 'ci', hash: 'a'.repeat(64), application: 'app', perMinute: 60, expiresAtMs: NOW };
  const text = formatPass(stored);
  t.equal(text, `${'a'.repeat(64)} app 60 ${NOW}`);
  t.strictSame(parsePass('ci', text), stored);
  for (const wrong of [
    '',
    `x${text}`,
    `${text} `,
    text.replace('a', 'g'),
    text.replace(' 60', ' x'),
    text.slice(1),
  ])
    t.equal(parsePass('ci', wrong), null, wrong);
});
