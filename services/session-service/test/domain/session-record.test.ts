// The encoding of a session record.

import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import t from 'tap';
import { cleanUserAgent, formatSessionRecord, parseSessionRecord } from '../../src/domain/session-record.js';

const time = fc.integer({ min: 1_000_000_000_000, max: 1_999_999_999_999 });
const generation = fc.integer({ min: 1, max: 1_000_000 });
const record = fc.record(
  {
    expiresAtMs: time,
    lastUsedAtMs: time,
    createdAtMs: time,
    absoluteExpiresAtMs: time,
    rotatedAtMs: fc.oneof(fc.constant(0), time),
    generation,
    used: fc.nat(1_000_000),
    recoveries: fc.array(fc.record({ generation, atMs: time }, { noNullPrototype: true }), { maxLength: 5 }),
    userAgent: fc.string({ unit: anyCharacter, maxLength: 300 }).map(cleanUserAgent),
    attributes: fc.dictionary(fc.stringMatching(/^[a-z_]{1,9}$/), fc.stringMatching(/^[!-~]{0,40}$/), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  },
  { noNullPrototype: true },
);

t.test('decoding a record returns the original', async (t) => {
  fc.assert(
    fc.property(record, (value) => {
      const text = formatSessionRecord(value);
      t.strictSame(parseSessionRecord(text), value);
      t.notMatch(text, /[\r\n]/);
    }),
  );
});

t.test('the encoding has the documented order', async (t) => {
  t.equal(
    formatSessionRecord({
      expiresAtMs: 1,
      lastUsedAtMs: 2,
      createdAtMs: 3,
      absoluteExpiresAtMs: 4,
      rotatedAtMs: 5,
      generation: 6,
      used: 7,
      userAgent: 'a b  c',
      attributes: { one: '1', two: 'a=b' },
      recoveries: [
        { generation: 8, atMs: 9 },
        { generation: 10, atMs: 11 },
      ],
    }),
    '1 2 3 4 5 6 7 8:9,10:11 a b  c\tone=1 two=a=b',
  );
});

t.test('an attribute that would corrupt the record is rejected', async (t) => {
  const text = '1 2 3 4 5 6 7 - agent';
  const stored = parseSessionRecord(text);
  t.equal(formatSessionRecord(stored), text, 'without attributes the record is as before');
  for (const attributes of [
    { a: 'b c' },
    { a: 'b\n' },
    { a: 'b\t' },
    { a: 'é' },
    { 'a b': '1' },
    { '': '1' },
  ]) {
    t.throws(() => formatSessionRecord({ ...stored, attributes }), RangeError);
  }
});

t.test('any other text is not a record', async (t) => {
  for (const text of [
    '',
    'x',
    '1 2 3 4 5 6 7 -',
    '1 2 3 4 5 6 x - agent',
    '-1 2 3 4 5 6 7 - agent',
    '1 2 3 4 5 6 7 - agent\ta=1\nb',
  ]) {
    t.throws(() => parseSessionRecord(text), SyntaxError);
  }
});

t.test('a user agent becomes one short printable line', async (t) => {
  t.equal(cleanUserAgent(' Mozilla/5.0\r\n (X11)\0\t\u001b[31m '), 'Mozilla/5.0 (X11)[31m');
  t.equal(cleanUserAgent('a\u202eb\u2028c\ud800d'), 'abcd');
  t.equal(cleanUserAgent('x'.repeat(500)), 'x'.repeat(200));
  t.equal(cleanUserAgent('😀'.repeat(500)), '😀'.repeat(200), 'characters are not cut in two');
  t.equal(cleanUserAgent(''), '');
});
