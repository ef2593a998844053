// Variables common to both services: defaults, requirements, the documented table.

import { Type } from '@sinclair/typebox';
import t from 'tap';
import { captchaVariables } from '../../src/config/captcha-environment.js';
import { ConfigurationError, readEnvironment } from '../../src/config/environment.js';
import { cacheStoreUrlOf, corsOriginOf, storeUrlOf } from '../../src/config/fallbacks.js';
import {
  ChallengeLimitVariables,
  ChallengeListenVariables,
  HttpVariables,
  SecretVariables,
  SessionLimitVariables,
  SessionListenVariables,
  StoreVariables,
} from '../../src/config/variables.js';
import { variablesTable } from '../../src/config/variables-table.js';

const schema = Type.Object({
  ...SecretVariables,
  ...StoreVariables,
  ...HttpVariables,
  ...SessionListenVariables,
  ...SessionLimitVariables,
  ...ChallengeListenVariables,
  ...ChallengeLimitVariables,
  ...captchaVariables,
});
const secrets = {
  ACCESS_SECRET: '0123456789abcdefghijklmnopqrstua',
  REFRESH_SECRET: '0123456789abcdefghijklmnopqrstub',
  ENCRYPTION_KEY: '0123456789abcdefghijklmnopqrstuc',
  CHALLENGE_SECRET: '0123456789abcdefghijklmnopqrstud',
};
const required = { ...secrets, PUBLIC_URL: 'https://example.com' };

t.test('the defaults are as documented', async (t) => {
  t.match(readEnvironment(schema, required), {
    ...required,
    DATA_DIR: './data',
    ALLOW_EMBEDDED: false,
    BIND: '127.0.0.1',
    ADMIN_BIND: '127.0.0.1',
    DRAIN_SECONDS: 5,
    LOG_LEVEL: 'info',
    SESSION_PORT: 3001,
    SESSION_ADMIN_PORT: 9001,
    CHALLENGE_PORT: 3002,
    CHALLENGE_ADMIN_PORT: 9002,
    RATE_LIMIT_POW: 60,
    RATE_LIMIT_ISSUE: 60,
    RATE_LIMIT_IMAGE: 120,
    RATE_LIMIT_LOGIN: 30,
    RATE_LIMIT_LOGIN_CODE: 60,
    RATE_LIMIT_REFRESH: 60,
    RATE_LIMIT_SESSION: 300,
  });
});

for (const name of Object.keys(required)) {
  t.test(`without ${name} the start stops with one line`, async (t) => {
    const env: Record<string, string> = { ...required, [name]: '' };
    t.throws(() => readEnvironment(schema, env), {
      name: 'ConfigurationError',
      lines: [new RegExp(`^${name} is missing`)],
    });
  });
}

t.test('an invalid value of any typed variable stops the start with a line', async (t) => {
  for (const [name, property] of Object.entries(schema.properties)) {
    if (property.type === 'string' && property.pattern === undefined) continue;
    const value = property.type === 'array' ? ',' : '*';
    try {
      readEnvironment(schema, { ...required, [name]: value });
      t.fail(`${name} was accepted`);
    } catch (error) {
      t.ok(error instanceof ConfigurationError && error.lines.length === 1, name);
      t.match((error as ConfigurationError).lines[0], new RegExp(`^${name} must be `));
    }
  }
});

t.test('every variable has a description', async (t) => {
  for (const [name, property] of Object.entries(schema.properties)) {
    t.ok(String(property.description ?? '').length > 10, name);
  }
});

t.test('variables that may contain a password or a key are never shown', async (t) => {
  for (const name of [
    ...Object.keys(secrets),
    'STORE_URL',
    'CAPTCHA_CACHE_STORE',
  ] as (keyof typeof schema.properties)[]) {
    t.equal(schema.properties[name].secret, true, name);
  }
});

t.test('unset variables are derived from others', async (t) => {
  t.equal(storeUrlOf({ DATA_DIR: '/var/lib/t' }), 'file:/var/lib/t/tollgate.db');
  t.equal(storeUrlOf({ STORE_URL: 'redis://a' }), 'redis://a');
  t.equal(cacheStoreUrlOf({ STORE_URL: 'redis://a' }), 'redis://a');
  t.equal(cacheStoreUrlOf({ STORE_URL: 'redis://a', CAPTCHA_CACHE_STORE: 'redis://b' }), 'redis://b');
  t.equal(corsOriginOf({ PUBLIC_URL: 'https://Example.com:443/auth' }), 'https://example.com');
  t.equal(
    corsOriginOf({ PUBLIC_URL: 'https://example.com', CORS_ORIGIN: 'https://a.example' }),
    'https://a.example',
  );
});

t.test('the table has a row per variable, with its default, its choices and its description', async (t) => {
  const table = variablesTable(
    Type.Object({
      A: Type.String({ description: 'Needed | really' }),
      B: Type.Optional(Type.String({ description: 'Not needed' })),
      C: Type.Integer({ default: 5, description: 'Five' }),
      D: Type.Union([Type.Literal('x'), Type.Literal('y')], { default: 'x', description: 'Either' }),
      E: Type.Optional(Type.String({ description: 'Else', shownDefault: 'that of `C`' })),
      F: Type.String({ description: 'A secret', secret: true }),
    }),
  );
  t.equal(
    table,
    [
      '| `A` | required | Needed \\| really |',
      '| `B` | none | Not needed |',
      '| `C` | `5` | Five |',
      '| `D` | `x` | Either (`x`, `y`) |',
      '| `E` | that of `C` | Else |',
      '| `F`, `F_FILE` | required | A secret |',
    ].join('\n'),
  );
  t.equal(variablesTable(schema).split('\n').length, Object.keys(schema.properties).length);
});
