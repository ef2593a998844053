// Custom challenge types: their shape, and random choices that only the secret can reproduce.

import fc from 'fast-check';
import t from 'tap';
import {
  drawKey,
  MAX_ANSWER_CHARACTERS,
  normaliseAnswer,
  scrambleAnswer,
  seededRandom,
} from '../../../src/challenges/types/answer-hashing.js';
import { runChallengeType } from '../../../src/challenges/types/challenge-type.js';
import {
  type ChallengeType,
  challengeTypeMistakes,
  tooLongFor,
  verifiedTypes,
} from '../../../src/challenges/types/challenge-type-registry.js';
import { openKeyRing } from '../../../src/crypto/key-ring.js';
import { ConfigurationError } from '../../../src/schemas/configuration-error.js';
import { OTHER_SECRET, ring } from '../fixtures.js';

const make = () => ({ answer: 'x' });
const verify = () => 'wrong' as const;
const verified = { name: 'own', maxAnswerCharacters: 8, hasMinimumTime: true, verify };
const streamOf = (kind = 'sum', token = 'token', seed = 1) => seededRandom(ring.current, kind, token, seed);

t.test('an invalid challenge type is reported by position and name', async (t) => {
  const name = (at: number) =>
    `kinds[${at}].name must be 1 to 32 letters, digits, _ or -, starting with a letter`;
  const lines: [unknown, string[]][] = [
    [[], []],
    [[{ name: 'sum', make }, verified], []],
    [[{ ...verified, issue: () => ({}) }], []],
    [{}, ['kinds must be a list of challenge types']],
    [[null], ['kinds[0] must be an object']],
    [
      [{ make }, { name: '__proto__', make }, { name: 'a b', make }],
      [name(0), name(1), name(2)],
    ],
    [[{ name: 'text', make }], ['kinds[0].name must not be text, which is taken']],
    [[{ ...verified, name: 'effort' }], ['kinds[0].name must not be effort, which is taken']],
    [[verified, { name: 'own', make }], ['kinds[1].name must not be own, which is taken']],
    [[{ name: 'a' }], ['kinds[0] (a) must have either a function make or a function verify']],
    [[{ ...verified, make }], ['kinds[0] (own) must have either a function make or a function verify']],
    [
      [{ name: 'a', make, hasMinimumTime: 1 }],
      ['kinds[0] (a) must have true, false or nothing as hasMinimumTime'],
    ],
    [
      [{ name: 'a', verify, issue: 5, maxAnswerCharacters: 4001 }],
      [
        'kinds[0] (a) must have a function as issue',
        'kinds[0] (a) must have true or false as hasMinimumTime',
        'kinds[0] (a) must have a whole number from 1 to 4000 as maxAnswerCharacters',
      ],
    ],
  ];
  for (const maxAnswerCharacters of [0, -1, 1.5, '8', undefined])
    lines.push([
      [{ ...verified, maxAnswerCharacters }],
      ['kinds[0] (own) must have a whole number from 1 to 4000 as maxAnswerCharacters'],
    ]);
  for (const maxAnswerCharacters of [1, 4000]) lines.push([[{ ...verified, maxAnswerCharacters }], []]);
  for (const kind of ['own', 5, true]) lines.push([[kind], ['kinds[0] must be an object']]);
  for (const [kinds, expected] of lines) t.strictSame(challengeTypeMistakes(kinds), expected);
  t.throws(() => verifiedTypes([{ name: 'text', make }]), ConfigurationError);
});

t.test('a verifier accepts effort and types that verify their own answers', async (t) => {
  const kinds: ChallengeType[] = [{ name: 'sum', make }, verified];
  t.strictSame([...verifiedTypes(kinds).keys()], ['own', 'effort']);
  t.strictSame([...verifiedTypes().keys()], ['effort']);
});

t.test('an answer is too long for some types, and only for these', async (t) => {
  const types = new Map([['own', verified]]);
  t.strictSame(
    [8, 9, MAX_ANSWER_CHARACTERS, MAX_ANSWER_CHARACTERS + 1].map((length) =>
      tooLongFor('x'.repeat(length), types),
    ),
    [[], ['verify:own'], ['verify:own'], ['answer', 'verify:own']],
  );
});

t.test('an error of a type is named by its class alone, and a promise ends no process', async (t) => {
  t.equal(
    runChallengeType(verified, 'verify', () => 5),
    5,
  );
  const thrown = (value: unknown) => () =>
    runChallengeType(verified, 'verify', () => {
      throw value;
    });
  t.throws(thrown(new TypeError('the answer is x')), { message: 'verify of the kind own threw TypeError' });
  t.throws(thrown('x'), { message: 'verify of the kind own threw a non-error value' });
  t.throws(thrown(undefined), { message: 'verify of the kind own threw a non-error value' });
  const rejected = Promise.reject(new Error('of the type'));
  t.equal(
    runChallengeType(verified, 'issue', () => rejected),
    rejected,
  );
  await new Promise((resolve) => setImmediate(resolve));
});

t.test('an answer is compared without invisible characters, width and, if ignored, case', async (t) => {
  for (const typed of ['aB3', ' a B 3 ', '\u200ea\u200bB\u00ad3\ufe0f', 'ａＢ３', 'a\u0009B\u30003\u2060']) {
    t.equal(normaliseAnswer(typed, false), 'aB3', JSON.stringify(typed));
    t.equal(normaliseAnswer(typed, true), 'ab3');
  }
  t.equal(normaliseAnswer('ж-7', false), 'ж-7', 'nothing else is removed');
});

t.test('the hash of an answer belongs to its challenge and secret', async (t) => {
  const hashes = [
    scrambleAnswer(ring.current, 'token', 'ab3'),
    scrambleAnswer(ring.current, 'token', 'ab4'),
    scrambleAnswer(ring.current, 'other', 'ab3'),
    scrambleAnswer(openKeyRing(OTHER_SECRET).current, 'token', 'ab3'),
  ];
  for (const hash of hashes) t.match(hash, /^[0-9a-f]{32}$/);
  t.equal(new Set(hashes).size, 4);
});

t.test("a challenge's choices are reproducible, and differ with every other input", async (t) => {
  const choices = (random = streamOf()) => Buffer.from(random.bytes(40)).toString('hex');
  t.equal(choices(), choices());
  const others = [
    streamOf('odd'),
    streamOf('sum', 'other'),
    streamOf('sum', 'token', 2),
    seededRandom(openKeyRing(OTHER_SECRET).current, 'sum', 'token', 1),
  ];
  t.equal(new Set([choices(), ...others.map(choices)]).size, 5);
  const pieces = streamOf();
  const joined = Buffer.concat([pieces.bytes(3), pieces.bytes(20), pieces.bytes(17)]).toString('hex');
  t.equal(joined, choices(), 'whatever the pieces it is read in');
});

t.test('another version of the service makes the same choices for a challenge', async (t) => {
  t.equal(
    Buffer.from(streamOf().bytes(70)).toString('hex'),
    'af049b72b96fdedc45397658d705a8e0fec8299b7584387e98c8c561069920be3874d308de0891f226b733811f69fee8a12b3df55b6d5ca5c030ac74734be9f409ca32d45432',
  );
});

t.test('numbers above the last whole multiple of the bound are discarded', async (t) => {
  const bound = 2 ** 31 + 1;
  const [words, random] = [streamOf(), streamOf()];
  const numbers = Array.from({ length: 200 }, () => Buffer.from(words.bytes(4)).readUInt32BE());
  const fair = numbers.filter((number) => number < bound);
  t.ok(fair.length < 150, 'about half of them');
  t.strictSame(
    fair.map(() => random.below(bound)),
    fair,
  );
  t.equal(random.below(1), 0);
  t.equal(streamOf().below(2 ** 32), numbers[0]);
});

t.test('the key for drawings belongs to the secret', async (t) => {
  const keys = [ring, openKeyRing(OTHER_SECRET)].map(({ current }) => drawKey(current));
  t.strictSame(
    keys.map(({ length }) => length),
    [32, 32],
  );
  t.notSame(keys[0], keys[1]);
});

t.test('numbers are below their bound, and each occurs', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 }), fc.string(), (bound, token) => {
        const number = streamOf('sum', token).below(bound);
        return Number.isInteger(number) && number >= 0 && number < bound;
      }),
    ),
  );
  const random = streamOf();
  const drawn = Array.from({ length: 300 }, () => random.pick(['a', 'b', 'c']));
  t.strictSame([...new Set(drawn)].sort(), ['a', 'b', 'c']);
  for (const bound of [0, -1, 1.5, Number.NaN, 2 ** 32 + 1]) t.throws(() => random.below(bound), RangeError);
  t.throws(() => random.pick([]), RangeError);
});
