// Challenge options: from variables, from code, and in the documented table.

import { Type } from '@sinclair/typebox';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import fc from 'fast-check';
import t from 'tap';
import {
  captchaOptionsFrom,
  captchaVariables,
  checkCaptchaVariables,
  unknownCaptchaVariables,
} from '../../src/config/captcha-environment.js';
import { readEnvironment } from '../../src/config/environment.js';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

const schema = Type.Object({ ...captchaVariables });
const read = (env: Record<string, string>) =>
  captchaOptionsFrom(readEnvironment(schema, env, checkCaptchaVariables));

const defaults = {
  cache: { prefix: 'captcha', expire: 120 },
  pow: {
    enabled: true,
    difficulty: 16,
    escalate: true,
    step: 2,
    max_difficulty: 24,
    algorithms: 'sha256',
    nonces_per_function: 65_536,
    volume: { every: 20, step: 2 },
    expire: 120,
    expire_grows: true,
    fields: { token: 'pow_token', nonce: 'pow_nonce' },
  },
  fields: { token: 'captcha_token', answer: 'captcha' },
  escalation: { after: 2, decay: 900 },
  min_seconds: 1.5,
  bind_ip: false,
  phrase: { type: 'text' },
  effort: { enabled: true, bits: 4 },
  routes: { prefix: 'api/captcha' },
  test_mode: false,
};

t.test("defaults equal the specification's, from the environment and in code", async (t) => {
  t.strictSame(read({}), defaults);
  t.strictSame(resolveCaptchaOptions(), defaults);
});

t.test("a variable's name is CAPTCHA_ and the option's path", async (t) => {
  const options = read({
    CAPTCHA_POW_VOLUME_EVERY: '5',
    CAPTCHA_POW_FIELDS_NONCE: 'n',
    CAPTCHA_MIN_SECONDS: '0',
    CAPTCHA_DRIVER: '@napi-rs/canvas',
    CAPTCHA_PHRASE_WIDTH: '300',
  });
  t.equal(options.pow.volume.every, 5);
  t.equal(options.pow.fields.nonce, 'n');
  t.equal(options.min_seconds, 0);
  t.equal(options.driver, '@napi-rs/canvas');
  t.equal(options.phrase.width, 300);
  t.equal(Object.keys(captchaVariables).length, 30);
});

t.test('options in code may be partial, and are frozen at every level', async (t) => {
  const options = resolveCaptchaOptions({ pow: { volume: { step: 3 } }, driver: undefined });
  t.strictSame(options, { ...defaults, pow: { ...defaults.pow, volume: { every: 20, step: 3 } } });
  t.ok(Object.isFrozen(options) && Object.isFrozen(options.pow.volume));
});

// The option, a value, and the rest of the line after the option's name.
const wrong: [string, string, CaptchaOptionsInput, RegExp][] = [
  ['pow.difficulty', '15', { pow: { difficulty: 15 } }, /must be 16 or more outside/],
  ['load_levels', '4,2', { load_levels: '4,2' }, /must rise from each level to the next, not "4,2"/],
  ['load_levels', '2,2', { load_levels: '2,2' }, /must rise/],
  ['load_levels', '0', { load_levels: '0' }, /must be one to eight whole numbers of bits/],
  ['pow.difficulty', '25', { pow: { difficulty: 25 } }, /must be a whole number from 1 to 24, not/],
  ['pow.max_difficulty', '25', { pow: { max_difficulty: 25 } }, /must be a whole number from 1 to 24, not/],
  ['pow.difficulty', '16.5', { pow: { difficulty: 16.5 } }, /must be a whole number/],
  ['pow.step', '-1', { pow: { step: -1 } }, /must be a whole number of 0 or more, not/],
  ['pow.volume.step', '-1', { pow: { volume: { step: -1 } } }, /must be a whole number of 0 or more/],
  ['pow.volume.every', '0', { pow: { volume: { every: 0 } } }, /must be a whole number of 1 or more/],
  ...['hashwx', 'hashwx-1=0', 'hashwx-1=', 'sha256=2', 'sha256, hashwx-1', 'sha256,hashwx-1=10000'].map(
    (algorithms): [string, string, CaptchaOptionsInput, RegExp] => [
      'pow.algorithms',
      algorithms,
      { pow: { algorithms } },
      /must be sha256, and hashwx-1 or hashwx-1=N/,
    ],
  ),
  ['pow.algorithms', 'hashwx-1', { pow: { algorithms: 'hashwx-1' } }, /must include sha256/],
  [
    'pow.algorithms',
    'sha256,hashwx-1,hashwx-1=2',
    { pow: { algorithms: 'sha256,hashwx-1,hashwx-1=2' } },
    /must name each algorithm once/,
  ],
  [
    'pow.nonces_per_function',
    '511',
    { pow: { nonces_per_function: 511 } },
    /must be a whole number from 512/,
  ],
  ['pow.expire', '0', { pow: { expire: 0 } }, /must be a whole number from 1 to 86400/],
  ['cache.expire', '0', { cache: { expire: 0 } }, /must be a whole number from 1 to 86400/],
  ['cache.prefix', 'session', { cache: { prefix: 'session' } }, /must be up to 64 letters/],
  ['cache.prefix', 'session:x', { cache: { prefix: 'session:x' } }, /must be up to 64 letters/],
  ['cache.prefix', '{x}', { cache: { prefix: '{x}' } }, /must be up to 64 letters/],
  ['escalation.after', '-1', { escalation: { after: -1 } }, /must be a whole number from 0 to 100/],
  ['escalation.after', '101', { escalation: { after: 101 } }, /must be a whole number from 0 to 100/],
  ['escalation.decay', '0', { escalation: { decay: 0 } }, /must be a whole number from 1 to/],
  ['min_seconds', '-0.1', { min_seconds: -0.1 }, /must be a number of 0 or more/],
  ['min_seconds', '120', { min_seconds: 120 }, /must be less than .*120/],
  ['effort.bits', '9', { effort: { bits: 9 } }, /must be a whole number from 0 to 8, not/],
  ['effort.bits', '-1', { effort: { bits: -1 } }, /must be a whole number from 0 to 8, not/],
  [
    'effort.enabled',
    'no',
    { effort: { enabled: 'no' as unknown as true } },
    /must be true or false, not "no"/,
  ],
  ['routes.prefix', '/', { routes: { prefix: '/' } }, /must be path segments/],
  ['routes.prefix', 'a//b', { routes: { prefix: 'a//b' } }, /must be path segments/],
  ['routes.prefix', 'a/../b', { routes: { prefix: 'a/../b' } }, /must be path segments/],
  ['routes.prefix', ':id', { routes: { prefix: ':id' } }, /must be path segments/],
  ...['openapi.json', 'login', 'refresh/x', 'logout', 'sessions', 'profile', 'verify', 'Login'].map(
    (prefix): [string, string, CaptchaOptionsInput, RegExp] => [
      'routes.prefix',
      prefix,
      { routes: { prefix } },
      /must not begin with "[A-Za-z.]+", a reserved path$/,
    ],
  ),
  ['driver', 'gd', { driver: 'gd' as 'canvas' }, /must be one of canvas, @napi-rs\/canvas, not "gd"/],
  ['fields.answer', 'captcha token', { fields: { answer: 'captcha token' } }, /must be a field name/],
  ['fields.answer', 'x'.repeat(65), { fields: { answer: 'x'.repeat(65) } }, /must be a field name/],
  ['fields.answer', '__proto__', { fields: { answer: '__proto__' } }, /must not be "__proto__"/],
  ['fields.answer', 'constructor', { fields: { answer: 'constructor' } }, /must not be "constructor"/],
  ['fields.token', 'prototype', { fields: { token: 'prototype' } }, /must not be "prototype"/],
  ['fields.token', 'toString', { fields: { token: 'toString' } }, /must not be "toString"/],
  ['fields.token', 'password', { fields: { token: 'password' } }, /must not be "password"/],
  [
    'fields.answer',
    'pow_token',
    { fields: { answer: 'pow_token' } },
    /must differ from .*both are "pow_token"/,
  ],
];
for (const [path, text, input, words] of wrong) {
  const name = `CAPTCHA_${path.replaceAll('.', '_').toUpperCase()}`;
  t.test(`${name}=${text} stops the start; in code ${path} is named`, async (t) => {
    const fromEnvironment = configurationLines(() => read({ [name]: text }));
    t.equal(fromEnvironment.length, 1);
    t.ok(fromEnvironment[0]?.startsWith(`${name} `), String(fromEnvironment[0]));
    t.match(fromEnvironment[0], words);
    const fromCode = configurationLines(() => resolveCaptchaOptions(input));
    t.equal(fromCode.length, 1);
    t.ok(fromCode[0]?.startsWith(`${path} `), String(fromCode[0]));
    t.match(fromCode[0], words);
  });
}

t.test('an unread variable is reported by its name alone, and an empty one is ignored', async (t) => {
  const known = Object.keys(captchaVariables).map((name) => [name, 'x']);
  const right = {
    CAPTCHA_CACHE_STORE: 'x',
    CAPTCHA_MODULE: 'x',
    CAPTCHA_PRESETS: 'x',
    CAPTCHA_EMPTY: '',
    PATH: 'x',
  };
  t.same(unknownCaptchaVariables({ ...Object.fromEntries(known), ...right }), []);
  t.same(unknownCaptchaVariables({ CAPTCHA_CACHE_STORE_FILE: '/run/secrets/challenge_store' }), []);
  t.same(unknownCaptchaVariables({ CAPTCHA_UNKNOWN: 'a secret', CAPTCHA_POW_DIFICULTY: '20' }), [
    'CAPTCHA_POW_DIFICULTY is not known: no variable of the challenges has this name',
    'CAPTCHA_UNKNOWN is not known: no variable of the challenges has this name',
  ]);
});

t.test('a path that merely begins like a reserved path is permitted', async (t) => {
  for (const prefix of ['api/login', 'logins', 'v1/openapi.json']) {
    t.equal(resolveCaptchaOptions({ routes: { prefix } }).routes.prefix, prefix);
  }
  for (const prefix of ['/api/captcha', 'api/captcha/', '//api/captcha/'])
    t.equal(resolveCaptchaOptions({ routes: { prefix } }).routes.prefix, 'api/captcha');
});

t.test('the floor must not be above the ceiling', async (t) => {
  t.same(
    configurationLines(() => read({ CAPTCHA_POW_DIFFICULTY: '20', CAPTCHA_POW_MAX_DIFFICULTY: '18' })),
    ['CAPTCHA_POW_DIFFICULTY must not exceed CAPTCHA_POW_MAX_DIFFICULTY (18), but is 20'],
  );
});

t.test('in test mode the floor may be as low as 1, and no lower', async (t) => {
  t.equal(read({ CAPTCHA_TEST_MODE: 'true', CAPTCHA_POW_DIFFICULTY: '1' }).pow.difficulty, 1);
  t.equal(
    resolveCaptchaOptions({ test_mode: true, pow: { difficulty: 1, max_difficulty: 1 } }).pow.max_difficulty,
    1,
  );
  t.equal(
    configurationLines(() => read({ CAPTCHA_TEST_MODE: 'true', CAPTCHA_POW_DIFFICULTY: '0' })).length,
    1,
  );
});

t.test('an unknown option, or a value in place of a group, is an error in code', async (t) => {
  t.same(
    configurationLines(() => resolveCaptchaOptions({ pow: { dificulty: 20 } } as CaptchaOptionsInput)),
    ['pow.dificulty: unknown option'],
  );
  t.same(
    configurationLines(() => resolveCaptchaOptions({ pow: 5 } as unknown as CaptchaOptionsInput)),
    ['pow must be a group of options'],
  );
  t.same(
    configurationLines(() =>
      resolveCaptchaOptions({ pow: { volume: null } } as unknown as CaptchaOptionsInput),
    ),
    ['pow.volume must be a group of options'],
  );
  t.same(
    configurationLines(() => resolveCaptchaOptions(null as unknown as CaptchaOptionsInput)),
    ['the options must be a group of options'],
  );
  t.equal(configurationLines(() => resolveCaptchaOptions(JSON.parse('{"__proto__":{"a":1}}'))).length, 1);
});

t.test('a value of the wrong type is an error in code', async (t) => {
  t.same(
    configurationLines(() => resolveCaptchaOptions({ bind_ip: 'true' } as unknown as CaptchaOptionsInput)),
    ['bind_ip must be true or false, not "true"'],
  );
});

t.test('every permitted pair of floor and ceiling is accepted, every other is not', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: -2, max: 30 }), fc.integer({ min: -2, max: 30 }), (difficulty, ceiling) => {
      const allowed = difficulty >= 16 && difficulty <= ceiling && ceiling <= 24;
      const lines = configurationLines(() =>
        resolveCaptchaOptions({ pow: { difficulty, max_difficulty: ceiling } }),
      );
      return (lines.length === 0) === allowed;
    }),
  );
  t.pass('held for all pairs tried');
});
