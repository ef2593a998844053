// Services reachable from their own machine alone: weak secrets, the platform's port, the shared challenge secret.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { checkSecrets, weakSecrets } from '../../src/config/secrets.js';
import { isThisMachineOnly, withChallengeSecret, withPortAndAddress } from '../../src/config/this-machine.js';

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
