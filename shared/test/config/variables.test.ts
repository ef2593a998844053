// Variables common to both services: defaults, requirements, and addresses of this machine or site.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { captchaVariables } from '../../src/config/captcha-environment.js';
import { ConfigurationError, readEnvironment } from '../../src/config/environment.js';
import { cacheStoreUrlOf, corsOriginOf, storeUrlOf } from '../../src/config/fallbacks.js';
import { isSameSite } from '../../src/config/same-site.js';
import { checkSecrets, weakSecrets } from '../../src/config/secrets.js';
import { reachableHost } from '../../src/config/sites.js';
import { isThisMachineOnly, withChallengeSecret, withPortAndAddress } from '../../src/config/this-machine.js';
import {
  ChallengeLimitVariables,
  ChallengeListenVariables,
  HttpVariables,
  SecretVariables,
  SessionLimitVariables,
  SessionListenVariables,
  StoreVariables,
} from '../../src/config/variables.js';

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

// Services reachable from their own machine alone: weak secrets, the platform's port, the shared challenge secret.

t.test('a service is local only if no variable contradicts', async (t) => {
  for (const env of [
    {},
    { BIND: '', PUBLIC_URL: '', NODE_ENV: 'test' },
    { BIND: '127.0.0.2', PUBLIC_URL: 'http://localhost:8080/auth' },
    { BIND: '::1', PUBLIC_URL: 'https://[::1]' },
    { BIND: 'localhost', PUBLIC_URL: 'http://app.localhost' },
  ]) {
    t.ok(isThisMachineOnly(env), JSON.stringify(env));
  }
  for (const env of [
    { NODE_ENV: 'production' },
    { BIND: '0.0.0.0' },
    { BIND: '::' },
    { BIND: '192.168.1.5' },
    { BIND: '127.0.0.1.example.com' },
    { PUBLIC_URL: 'http://192.168.1.5' },
    { PUBLIC_URL: 'https://localhost.example.com' },
    { PUBLIC_URL: 'localhost:8080' },
    { PUBLIC_URL: 'not an address' },
  ]) {
    t.notOk(isThisMachineOnly(env), JSON.stringify(env));
  }
});

t.test("a hosting platform's port applies if the service's own variable is unset", async (t) => {
  const read = (env: Record<string, string>) => {
    const { SESSION_PORT, PUBLIC_URL } = withPortAndAddress(env, 'SESSION_PORT', 3001);
    return [SESSION_PORT, PUBLIC_URL];
  };
  t.strictSame(read({}), ['3001', 'http://localhost:3001']);
  t.strictSame(read({ PORT: '5000' }), ['5000', 'http://localhost:5000']);
  t.strictSame(read({ PORT: '5000', SESSION_PORT: '6000' }), ['6000', 'http://localhost:6000']);
  t.strictSame(read({ PUBLIC_URL: 'https://a.example', SESSION_PORT: '' }), ['3001', 'https://a.example']);
  for (const env of [{ PORT: '0' }, { PORT: 'x' }, { BIND: '0.0.0.0' }, { NODE_ENV: 'production' }]) {
    t.equal(read(env)[1], undefined, JSON.stringify(env));
  }
});

t.test('two services on one machine share one challenge secret, created by the first', async (t) => {
  const folder = join(tempDir(t), 'data');
  const first = withChallengeSecret({ DATA_DIR: folder }, '/');
  t.match(first.CHALLENGE_SECRET, /^[\w-]{43}$/);
  t.equal(
    withChallengeSecret({ DATA_DIR: 'data' }, join(folder, '..')).CHALLENGE_SECRET,
    first.CHALLENGE_SECRET,
  );
  t.strictSame(readdirSync(folder), ['secrets.json']);
  t.equal(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
  t.strictSame(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')), {
    CHALLENGE_SECRET: first.CHALLENGE_SECRET,
  });
});

t.test(
  'no challenge secret is created if one is set, or if the service is reachable from elsewhere',
  async (t) => {
    const DATA_DIR = tempDir(t);
    for (const env of [
      { CHALLENGE_SECRET: 'mine' },
      { CHALLENGE_SECRET_FILE: '/run/secrets/challenge' },
      { BIND: '0.0.0.0' },
      { PUBLIC_URL: 'https://a.example' },
      { NODE_ENV: 'production' },
    ]) {
      t.strictSame(withChallengeSecret({ DATA_DIR, ...env }, '/'), { DATA_DIR, ...env });
    }
    t.strictSame(readdirSync(DATA_DIR), []);
  },
);

t.test('an unusable file of secrets stops the start and is unchanged', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'secrets.json');
  for (const [text, line] of [
    ['no JSON', `${path} is no valid file of secrets; repair it or move it away.`],
    ['{"DEMO_PASSWORD":"x"}', `CHALLENGE_SECRET is missing, and ${path} has none`],
    ['null', `CHALLENGE_SECRET is missing, and ${path} has none`],
  ] as const) {
    writeFileSync(path, text);
    t.strictSame(
      configurationLines(() => withChallengeSecret({ DATA_DIR: folder }, '/')),
      [line],
    );
    t.equal(readFileSync(path, 'utf8'), text);
  }
});

t.test('accepted weak secrets are named, and must still differ', async (t) => {
  const lists = { ACCESS_SECRET: 'a', REFRESH_SECRET: 'b,b2', ENCRYPTION_KEY: 'changeme'.repeat(4) };
  t.strictSame(checkSecrets(lists, { allowWeak: true }), []);
  t.match(weakSecrets(lists), [
    /^ACCESS_SECRET must have at least 32/,
    /^REFRESH_SECRET must have at least 32/,
    /^ENCRYPTION_KEY is too easy to guess/,
  ]);
  t.strictSame(checkSecrets({ A: 'a', B: 'a', C: 'c,' }, { allowWeak: true }), [
    'B must not share an element with A',
    'C must not have an empty element',
  ]);
});

// Addresses of the same site, and this machine's address of its own services.

const pairs: Readonly<Record<string, readonly [one: string, other: string, same: boolean][]>> = {
  'names below one registrable domain': [
    ['https://app.example.com', 'https://auth.example.com/path', true],
    ['https://example.com', 'https://a.b.example.com', true],
    ['https://app.example.org', 'https://app.example.com', false],
    ['https://evilexample.com', 'https://example.com', false],
  ],
  'a public suffix is no domain': [
    ['https://a.co.uk', 'https://b.co.uk', false],
    ['https://a.b.co.uk', 'https://c.b.co.uk', true],
    ['https://one.github.io', 'https://two.github.io', false],
    ['https://github.io', 'https://one.github.io', false],
    ['https://www.one.github.io', 'https://one.github.io', true],
  ],
  'a site has a scheme and no port': [
    ['https://example.com:8443', 'https://auth.example.com', true],
    ['http://app.example.com', 'https://auth.example.com', false],
    ['http://example.com', 'https://example.com', false],
    ['http://localhost:1', 'http://localhost:2', true],
  ],
  'addresses and single labels are sites of their own': [
    ['http://127.0.0.1:1', 'http://127.0.0.1:2', true],
    ['http://127.0.0.1', 'http://127.0.0.2', false],
    ['http://192.0.2.1', 'http://198.51.2.1', false],
    ['http://[::1]:1', 'http://[::1]:2', true],
    ['http://[2001:db8::1]', 'http://[2001:db8::2]', false],
    ['http://localhost', 'http://127.0.0.1', false],
    ['http://intranet', 'http://auth', false],
    ['http://app.localhost', 'http://auth.localhost', false],
    ['http://app.demo.localhost', 'http://auth.demo.localhost', true],
  ],
};

for (const [name, cases] of Object.entries(pairs)) {
  t.test(name, async (t) => {
    for (const [one, other, same] of cases) {
      t.equal(isSameSite(one, other), same, `${one} and ${other}`);
      t.equal(isSameSite(other, one), same, `${other} and ${one}`);
    }
  });
}

t.test('a service bound to every address is reached through loopback', async (t) => {
  t.same([undefined, '', '0.0.0.0', '::', '192.0.2.1', '::1'].map(reachableHost), [
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.1',
    '192.0.2.1',
    '[::1]',
  ]);
});
