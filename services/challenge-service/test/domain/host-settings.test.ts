// Which properties of a call are reported as misspelt settings.

import type { FieldNames } from '@tollgate/shared/challenges';
import fc from 'fast-check';
import t from 'tap';
import { unknownSettings } from '../../src/domain/host-settings.js';

const SETTINGS = ['key', 'count', 'minDifficulty', 'submission'];
const FIELDS = {
  pow: { token: 'pow_token', nonce: 'pow_nonce' },
  image: { token: 'captcha_token', answer: 'captcha' },
} as unknown as FieldNames;
const found = (body: object) => unknownSettings(body, SETTINGS, FIELDS);

t.test('every unknown property beside a submission is reported', async (t) => {
  t.strictSame(found({ submission: {}, key: 1, email: 'x', cuont: true, pow_token: 'x' }), [
    'email',
    'cuont',
    'pow_token',
  ]);
  t.strictSame(found({ submission: {}, key: 'x', count: true }), []);
});

t.test('a whole form may have fields with any name', async (t) => {
  t.strictSame(
    found({ key: 'x', email: 'a@b', cuont: 'a text', pow_token: 'x', pow_nonce: 7, captcha: 'x' }),
    [],
  );
  t.strictSame(found({}), []);
});

t.test('another spelling of a setting is reported whatever its value', async (t) => {
  for (const name of ['mindifficulty', 'min_difficulty', 'MIN-DIFFICULTY', 'Key', 'k_ey', 'c_o-unt'])
    for (const value of ['a text', 7, null]) t.strictSame(found({ [name]: value }), [name], name);
});

t.test(
  'a setting with one letter added, missing, changed or swapped is reported unless its value is a text',
  async (t) => {
    const letter = fc.constantFrom(...'abcxyz');
    const place = (setting: string) => fc.nat(setting.length - 1);
    const misspelt = fc.constantFrom('count', 'minDifficulty').chain((setting) =>
      fc.oneof(
        fc.tuple(place(setting), letter).map(([at, one]) => setting.slice(0, at) + one + setting.slice(at)),
        fc
          .tuple(place(setting), letter)
          .map(([at, one]) => setting.slice(0, at) + one + setting.slice(at + 1)),
        place(setting).map((at) => setting.slice(0, at) + setting.slice(at + 1)),
        fc
          .nat(setting.length - 2)
          .map((at) => setting.slice(0, at) + setting[at + 1] + setting[at] + setting.slice(at + 2)),
      ),
    );
    const property = fc.property(misspelt, (name) => {
      if (SETTINGS.includes(name)) return;
      t.strictSame(found({ [name]: true }), [name]);
      t.strictSame(found({ [name]: 'text' }), []);
    });
    t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
    for (const name of [
      'ke',
      'kex',
      'keyy',
      'coun_ts',
      'ocutn',
      'xxunt',
      'countxx',
      'cou',
      'discount',
      'cotun_',
      'cxont',
      'cuxnt',
    ])
      t.strictSame(found({ [name]: true }), [], name);
  },
);

t.test('an object that contains a challenge field is reported', async (t) => {
  for (const held of [{ pow_token: 'x' }, { other: 1, captcha: 'x' }])
    t.strictSame(found({ form: held }), ['form']);
  for (const held of [{}, { other: 1 }, null, 'pow_token', ['pow_token']])
    t.strictSame(found({ form: held }), []);
  t.strictSame(found({ pow_token: { captcha: 'x' } }), [], 'a field itself is no setting');
});

t.test('at most twenty names of at most 64 characters are returned', async (t) => {
  const names = Array.from({ length: 30 }, (_, at) => `${'x'.repeat(70)}${at}`);
  const body = Object.fromEntries([['submission', {}], ...names.map((name) => [name, 1])]);
  t.strictSame(found(body), Array<string>(20).fill('x'.repeat(64)));
});
