// Custom challenge types: their shape, and random choices that only the secret can reproduce.

import fc from 'fast-check';
import t from 'tap';
import { seededRandom } from '../../../src/challenges/types/answer-hashing.js';
import {
  type ChallengeType,
  challengeTypeMistakes,
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
  for (const [kinds, expected] of lines) t.strictSame(challengeTypeMistakes(kinds), expected);
  t.throws(() => verifiedTypes([{ name: 'text', make }]), ConfigurationError);
});

t.test('a verifier accepts effort and types that verify their own answers', async (t) => {
  const kinds: ChallengeType[] = [{ name: 'sum', make }, verified];
  t.strictSame([...verifiedTypes(kinds).keys()], ['own', 'effort']);
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
