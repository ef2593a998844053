// A mistake in the environment stops a service with one line, as does a port in use.

import { createServer } from 'node:net';
import { join } from 'node:path';
import { environmentWith, readChallengeConfig } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { readSessionConfig, SessionEnvironment } from '@tollgate/session-service/config.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import type { Environment, ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import { startService } from '@tollgate/tools/launcher/service-process.js';
import t, { type Test } from 'tap';

const secret = (name: string) => `${name}-secret-of-more-than-32-characters`;
const DAYLIGHT = 'not-a-secret-but-must-not-be-shown';
const extensions = await loadAllExtensions();
const readers = {
  'challenge-service': (env: Environment) => readChallengeConfig(env, extensions),
  'session-service': readSessionConfig,
};
/** Weak secrets are accepted if only this machine can reach a service. */
const elsewhere = { PUBLIC_URL: 'https://tollgate.example' };
const environment = {
  PUBLIC_URL: 'http://localhost:8080',
  ACCESS_SECRET: secret('ACCESS'),
  REFRESH_SECRET: secret('REFRESH'),
  ENCRYPTION_KEY: secret('ENCRYPTION'),
  CHALLENGE_SECRET: secret('CHALLENGE'),
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
  LOG_LEVEL: 'silent',
};

t.test('both services', (t) =>
  tableOf(
    t,
    ['challenge-service', 'session-service'],
    [
      [{ PUBLIC_URL: '' }, /^PUBLIC_URL is missing: it must be the address that browsers see/],
      [{ PUBLIC_URL: 'localhost:8080' }, /^PUBLIC_URL must be an http:\/\/ or https:\/\/ address/],
      [
        { PUBLIC_URL: 'http://user:pw@localhost' },
        /^PUBLIC_URL must be .* without query, fragment, user or password/,
      ],
      [{ PUBLIC_URL: 'https://tollgate.example/a;b' }, /^PUBLIC_URL must have no ; in its path/],
      [{ CHALLENGE_SECRET: '' }, /^CHALLENGE_SECRET is missing/],
      [
        { ...elsewhere, CHALLENGE_SECRET: DAYLIGHT.slice(0, 31) },
        /^CHALLENGE_SECRET must have at least 32 characters/,
      ],
      [
        { CHALLENGE_SECRET: `${DAYLIGHT},${DAYLIGHT}` },
        /^CHALLENGE_SECRET must not have the same element twice/,
      ],
      [{ CHALLENGE_SECRET: `${DAYLIGHT},` }, /^CHALLENGE_SECRET must not have an empty element/],
      [
        { ...elsewhere, CHALLENGE_SECRET: 'c'.repeat(32) },
        /^CHALLENGE_SECRET is too easy to guess.*openssl rand -hex 32$/,
      ],
      [{ TRUST_PROXY: '1' }, /^TRUST_PROXY must list the proxies' addresses/],
      [{ TRUST_PROXY: 'proxy.example' }, /^TRUST_PROXY must contain addresses/],
      [{ TRUST_PROXY: '0.0.0.0/0' }, /^TRUST_PROXY must not trust everybody/],
      [{ CORS_ORIGIN: 'https://a.example/' }, /^CORS_ORIGIN must be https:\/\/a\.example, not/],
      [{ CORS_ORIGIN: '*' }, /^CORS_ORIGIN must be one origin/],
      [
        { CORS_HEADERS: 'X-One,,X-Two' },
        /^CORS_HEADERS must be names of request headers .*, not "X-One,,X-Two"$/,
      ],
      [{ CORS_HEADERS: 'X One' }, /^CORS_HEADERS must be names of request headers/],
      [{ CORS_HEADERS: 'X-One: 1' }, /^CORS_HEADERS must be names of request headers/],
      [{ CORS_HEADERS: '*' }, /^CORS_HEADERS must be names of request headers/],
      [{ STORE_URL: `mysql://root:${DAYLIGHT}@db` }, /^STORE_URL must be file:PATH, redis:/],
      [{ CAPTCHA_CACHE_STORE: `http://${DAYLIGHT}@x` }, /^CAPTCHA_CACHE_STORE must be file:PATH, redis:/],
      [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of trace, .*, not "loud"$/],
      [{ DRAIN_SECONDS: '-1' }, /^DRAIN_SECONDS must be a number from 0 to 600, not "-1"$/],
      [{ NODE_ENV: 'prod' }, /^NODE_ENV must be one of/],
      [
        { NODE_ENV: 'production', ALLOW_EMBEDDED: 'true', PUBLIC_URL: 'http://tollgate.example' },
        /^PUBLIC_URL must begin with https:/,
      ],
      [
        { CAPTCHA_TEST_MODE: 'true', PUBLIC_URL: 'https://tollgate.example' },
        /^CAPTCHA_TEST_MODE must be false unless/,
      ],
      [
        { CAPTCHA_TEST_MODE: 'true', NODE_ENV: 'production', ALLOW_EMBEDDED: 'true' },
        /^CAPTCHA_TEST_MODE must be false with/,
      ],
      [
        { CAPTCHA_POW_DIFFICULTY: '15' },
        /^CAPTCHA_POW_DIFFICULTY must be 16 or more outside CAPTCHA_TEST_MODE/,
      ],
      [{ CAPTCHA_POW_DIFFICULTY: '25' }, /^CAPTCHA_POW_DIFFICULTY must be a whole number from 1 to 24/],
      [
        { CAPTCHA_POW_DIFFICULTY: '20', CAPTCHA_POW_MAX_DIFFICULTY: '18' },
        /^CAPTCHA_POW_DIFFICULTY must not exceed CAPTCHA_POW_MAX_DIFFICULTY/,
      ],
      [{ CAPTCHA_POW_STEP: '-1' }, /^CAPTCHA_POW_STEP must be a whole number of 0 or more/],
      [{ CAPTCHA_POW_VOLUME_EVERY: '0' }, /^CAPTCHA_POW_VOLUME_EVERY must be/],
      [{ CAPTCHA_MIN_SECONDS: '-0.5' }, /^CAPTCHA_MIN_SECONDS must be/],
      [{ CAPTCHA_BIND_IP: 'yes' }, /^CAPTCHA_BIND_IP must be true or false, not "yes"$/],
      [{ CAPTCHA_ROUTES_PREFIX: '/api//captcha' }, /^CAPTCHA_ROUTES_PREFIX must be/],
      [
        { CAPTCHA_ROUTES_PREFIX: 'openapi.json' },
        /^CAPTCHA_ROUTES_PREFIX must not begin with "openapi.json", a reserved path$/,
      ],
      [{ CAPTCHA_FIELDS_TOKEN: 'pow_token' }, /must differ from/],
      [{ CAPTCHA_POW_DIFICULTY: '20' }, /^CAPTCHA_POW_DIFICULTY is not known: /],
    ],
  ),
);

t.test('the challenge service', (t) =>
  tableOf(
    t,
    ['challenge-service'],
    [
      [{ CHALLENGE_PORT: 'http' }, /^CHALLENGE_PORT must be a whole number from 0 to 65535, not "http"$/],
      [{ RATE_LIMIT_POW: '0' }, /^RATE_LIMIT_POW must be a whole number from 1/],
      [{ CAPTCHA_DRIVER: 'sharp' }, /^CAPTCHA_DRIVER must be one of canvas, @napi-rs\/canvas, not "sharp"$/],
      [
        { NODE_ENV: 'production', CAPTCHA_TEST_MODE: 'false' },
        /^STORE_URL must name a Redis with NODE_ENV=production/,
      ],
    ],
  ),
);

t.test('the session service', (t) =>
  tableOf(
    t,
    ['session-service'],
    [
      [{ ACCESS_SECRET: '' }, /^ACCESS_SECRET is missing/],
      [{ REFRESH_SECRET: '' }, /^REFRESH_SECRET is missing/],
      [{ ENCRYPTION_KEY: '' }, /^ENCRYPTION_KEY is missing/],
      [{ ...elsewhere, ACCESS_SECRET: 'a'.repeat(32) }, /^ACCESS_SECRET is too easy to guess/],
      [{ ...elsewhere, REFRESH_SECRET: 'r'.repeat(32) }, /^REFRESH_SECRET is too easy to guess/],
      [{ ...elsewhere, ENCRYPTION_KEY: 'e'.repeat(32) }, /^ENCRYPTION_KEY is too easy to guess/],
      [{ REFRESH_SECRET: secret('ACCESS') }, /^REFRESH_SECRET must not share an element with ACCESS_SECRET$/],
      [{ SESSION_PORT: '70000' }, /^SESSION_PORT must be a whole number from 0 to 65535/],
      [{ COOKIE_SAMESITE: 'none' }, /^COOKIE_SAMESITE must be one of strict, lax, not "none"$/],
      [{ COOKIE_PREFIX: '__Host' }, /^COOKIE_PREFIX must be/],
      [
        { COOKIE_PREFIX: '__Secure-' },
        /^COOKIE_PREFIX must be unset unless PUBLIC_URL begins with https:\/\/, not "http:\/\/localhost:8080"$/,
      ],
      [{ ACCESS_TTL: '15m' }, /^ACCESS_TTL must be a whole number from 1/],
      [{ REFRESH_WINDOW: '-1' }, /^REFRESH_WINDOW must be/],
      [{ MAX_SESSIONS: '0' }, /^MAX_SESSIONS must be/],
    ],
  ),
);

t.test('several mistakes are several lines on stderr, and the process exits', async (t) => {
  for (const service of ['challenge-service', 'session-service'] as const) {
    const { code, err } = await start(t, service, {
      BIND: '0.0.0.0',
      CHALLENGE_SECRET: '',
      PUBLIC_URL: '',
      TRUST_PROXY: '2',
      CAPTCHA_POW_DIFFICULTY: '15',
    });
    t.equal(code, 1);
    t.strictSame(
      err
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0])
        .sort(),
      ['CAPTCHA_POW_DIFFICULTY', 'CHALLENGE_SECRET', 'PUBLIC_URL', 'TRUST_PROXY'],
    );
  }
});

t.test('a mistake found at run time is one line, too', async (t) => {
  const file = t.testdir({ plain: 'no folder' });
  const table: [ServiceName, Environment, RegExp][] = [
    ['challenge-service', { BIND: '192.0.2.1' }, /^BIND: 192\.0\.2\.1 is not an address of this machine\n$/],
    [
      'session-service',
      { USERS_URL: `mysql://root:${DAYLIGHT}@db` },
      /^USERS_URL must be file:PATH, postgres:[^\n]* or module:PATH\n$/,
    ],
    [
      'session-service',
      { STORE_URL: `file:${file}/plain/x.db` },
      /^STORE_URL [^\n]* cannot be opened[^\n]*\n$/,
    ],
    [
      'session-service',
      { USERS_URL: `file:${file}/plain/x.db` },
      /^USERS_URL [^\n]* cannot be opened[^\n]*\n$/,
    ],
  ];
  for (const [service, change, line] of table) {
    const { code, err } = await start(t, service, change);
    t.equal(code, 1);
    t.match(err, line);
    t.notOk(err.includes(DAYLIGHT));
  }
});

t.test('a port in use is one line that names its variable', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  for (const variable of ['SESSION_PORT', 'SESSION_ADMIN_PORT', 'CHALLENGE_PORT', 'CHALLENGE_ADMIN_PORT']) {
    const service = variable.startsWith('SESSION') ? 'session-service' : 'challenge-service';
    const { code, err } = await start(t, service, { [variable]: String(port) });
    t.strictSame([code, err], [1, `${variable}: port ${port} on 127.0.0.1 is in use by another program\n`]);
  }
});

t.test('no service reports a variable of the other one as unknown', async (t) => {
  const names = {
    'challenge-service': Object.keys(environmentWith(extensions).properties),
    'session-service': Object.keys(SessionEnvironment.properties),
  };
  for (const [service, other] of [
    ['challenge-service', 'session-service'],
    ['session-service', 'challenge-service'],
  ] as const) {
    const foreign = names[other].filter((name) => !names[service].includes(name));
    const set = Object.fromEntries(foreign.map((name) => [name, 'x']));
    const { warnings } = readers[service]({ ...set, ...environment });
    t.strictSame(
      warnings.filter((line) => line.includes('not known')),
      [],
      service,
    );
  }
});

function tableOf(t: Test, services: readonly ServiceName[], table: readonly [Environment, RegExp][]): void {
  for (const service of services) {
    t.ok(readers[service](environment), 'without the mistake it starts');
    for (const [change, expected] of table) {
      const hint = `${service} ${JSON.stringify(change).slice(0, 60)}`;
      const lines = linesOf(() => readers[service]({ ...environment, ...change }));
      t.equal(lines.length, 1, hint);
      t.match(lines[0], expected, hint);
      t.notOk(lines[0]?.includes(DAYLIGHT.slice(0, 20)), `${hint}: no secret is shown`);
    }
  }
  t.end();
}

function linesOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    return (error as { lines: readonly string[] }).lines;
  }
}

/** The service exits with this process, so that a started one never outlives the test. */
async function start(
  t: Test,
  name: ServiceName,
  change: Environment,
): Promise<{ code: number | null; err: string }> {
  const folder = tempDir(t);
  const service = startService(name, {
    environment: { ...environment, DATA_DIR: folder, ...change },
    logFile: join(folder, 'service.log'),
  });
  t.teardown(() => service.stop(1_000));
  await service.gone;
  return { code: service.child.exitCode, err: `${service.errors()}\n` };
}
