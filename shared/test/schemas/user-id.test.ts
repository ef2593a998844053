// Valid user ids, and their unique texts.

import { Value } from '@sinclair/typebox/value';
import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import t from 'tap';
import { isUserId, readUserId, UserId, UserIdText } from '../../src/schemas/user-id.js';

const CHARACTERS = [...'abcXYZ0123456789._~@|+-'];
const numbers = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const texts = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 64 })
  .map((characters) => characters.join(''));
const ids = fc.oneof(numbers, texts.filter(isUserId));

t.test('UUIDs and ids of other systems are valid', async (t) => {
  const known = [
    ...['6ba7b810-9dad-11d1-80b4-00c04fd430c8', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '507f1f77bcf86cd799439011'],
    ...[
      'auth0|5f7c8ec7c33c6c004bbafe82',
      'V1StGXR8_Z5jdHi6B-myT',
      '_Z5jdHi6B',
      '-Z5jdHi6B',
      'ann@example.com',
    ],
    ...[
      'a',
      '7a',
      '7.5.1',
      '-7a',
      '11111111-1111-4111-8111-111111111111',
      'x'.repeat(64),
      '175928847299117063',
      '00000000000000007',
      '5071567719860e7994390110',
      '0x52908400098527886e0f7030069857d2e4169ee7',
      '0xyz',
      '0b12',
      '1e5a',
      'e5',
      'constructor',
      '__proto__',
    ],
    ...[1, 7, Number.MAX_SAFE_INTEGER],
  ];
  for (const id of known) t.ok(isUserId(id), String(id));
});

t.test('separators, invisible characters and texts that read as numbers are invalid', async (t) => {
  const separators = [...' \t\n\r\v\f\0:;,/\\{}[]()<>"\'`?#&%=*$!^\x7f\x1b'].map((one) => `a${one}b`);
  const lookAlikes = ['\u0430nn', 'ann\u200b', '\uff41nn', 'a\u0301nn', '\u202eann', 'é', '７７a', '\ud800'];
  const hostile = [
    ...separators,
    ...lookAlikes,
    ...[
      'a\n',
      '\na',
      ' a',
      'a ',
      '',
      '.',
      '..',
      '...',
      '.a',
      '-',
      '--',
      '_',
      '~a',
      '+a',
      '@a',
      '|a',
      'x'.repeat(65),
    ],
    ...['0', '7', '07', '0000000000000007', '9007199254740993', '-7', '7.5', '-07.50', '7.', '-.5'],
    ...['1e5', '1E5', '-1e5', '1e+5', '1e-5', '1.5e5', '7.e5', '-.5e1', '0e1234'],
    ...['0x1A', '0X1a', '-0x1', '0b10', '0o17'],
  ];
  for (const id of hostile) t.notOk(isUserId(id), JSON.stringify(id));
  for (const id of [
    0,
    -1,
    1.5,
    2 ** 53,
    Number.NaN,
    1n,
    null,
    undefined,
    true,
    ['a'],
    { toString: () => 'a' },
  ])
    t.notOk(isUserId(id));
});

t.test('every id has a unique text, which parses to that id', async () => {
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      const same = String(one) === String(other);
      return same === (one === other) && readUserId(String(one)) === one;
    }),
    { numRuns: 2000 },
  );
});

t.test('the schemas accept the same values as the function', async () => {
  const anything = fc.oneof(ids, fc.string({ unit: anyCharacter, maxLength: 70 }), fc.double(), texts);
  fc.assert(
    fc.property(anything, (value) => Value.Check(UserId, value) === isUserId(value)),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(ids, (id) => Value.Check(UserIdText, String(id))),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: anyCharacter, maxLength: 70 })), (text) => {
      const id = readUserId(text);
      const wasTooLarge = typeof id === 'number' && id > Number.MAX_SAFE_INTEGER;
      return wasTooLarge || Value.Check(UserIdText, text) === (isUserId(id) && String(id) === text);
    }),
    { numRuns: 2000 },
  );
});
