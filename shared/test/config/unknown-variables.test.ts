// Variables that are probably misspelt.

import { Type } from '@sinclair/typebox';
import t from 'tap';
import { unknownVariables } from '../../src/config/unknown-variables.js';

const schema = Type.Object({
  BIND: Type.String(),
  STORE_URL: Type.String({ secret: true }),
  RATE_LIMIT_LOGIN: Type.Integer(),
});
const found = (...names: string[]) =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])), schema, {
    prefixes: ['RATE_LIMIT_'],
    known: ['RATE_LIMIT_POW'],
  });

t.test('a variable one typing error away from a known one is reported with the probable name', async (t) => {
  for (const [name, meant] of [
    ['STORE_UR', 'STORE_URL'],
    ['STORE_URLS', 'STORE_URL'],
    ['STORE_URI', 'STORE_URL'],
    ['STORE_ULR', 'STORE_URL'],
    ['STOREURL', 'STORE_URL'],
    ['STORE_URL_FILES', 'STORE_URL_FILE'],
    ['BINDS', 'BIND'],
    ['RATE_LIMIT_LOGINS', 'RATE_LIMIT_LOGIN'],
  ] as const) {
    t.strictSame(found(name), [`${name} is not known: ${meant} may be meant`]);
  }
});

t.test('a variable with a prefix of the service is reported, other variables are not', async (t) => {
  t.strictSame(found('RATE_LIMIT_SIGN_IN', 'RATE_LIMIT_AGE'), [
    'RATE_LIMIT_AGE is not known',
    'RATE_LIMIT_SIGN_IN is not known',
  ]);
  t.strictSame(
    found(
      'BIND',
      'STORE_URL',
      'STORE_URL_FILE',
      'RATE_LIMIT_LOGIN',
      'RATE_LIMIT_POW',
      'PATH',
      'STORE',
      'HOME',
    ),
    [],
  );
  t.strictSame(
    unknownVariables({ STORE_ULR: '' }, schema, { prefixes: [], known: [] }),
    [],
    'an empty one is unset',
  );
});
