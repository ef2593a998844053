// The secrets of a local system: created once, private, and overridden by the environment.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentWith } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { secretVariablesOf } from '@tollgate/shared/config';
import { fileSecrets, openSecrets, readSecretFiles } from '@tollgate/tools/launcher/secrets.js';
import t from 'tap';

const tokenSecrets = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY', 'CHALLENGE_SECRET'] as const;

t.test('the first run creates long, different secrets that only the owner can read', async (t) => {
  const folder = join(t.testdir(), 'new folder', 'data');
  const secrets = openSecrets(folder, {});
  for (const name of tokenSecrets) t.match(secrets[name], /^[A-Za-z0-9_-]{43}$/, name);
  t.match(secrets.DEMO_PASSWORD, /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
  t.equal(new Set(Object.values(secrets)).size, 5);
  t.equal(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.same(readdirSync(folder), ['secrets.json']);
});

t.test('later runs find the same secrets, and wider permissions are narrowed', async (t) => {
  const folder = t.testdir();
  const first = openSecrets(folder, {});
  chmodSync(join(folder, 'secrets.json'), 0o644);
  t.same(openSecrets(folder, {}), first);
  t.equal(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
});

t.test('the environment takes precedence and is not stored', async (t) => {
  const folder = t.testdir();
  const kept = openSecrets(folder, {});
  const own = 'o'.repeat(40);
  t.same(openSecrets(folder, { ACCESS_SECRET: own, DEMO_PASSWORD: 'my own one', REFRESH_SECRET: '' }), {
    ...kept,
    ACCESS_SECRET: own,
    DEMO_PASSWORD: 'my own one',
  });
  t.notMatch(readFileSync(join(folder, 'secrets.json'), 'utf8'), own);
});

t.test('signing keys are created with the format public, and kept', async (t) => {
  const folder = t.testdir();
  const sealed = openSecrets(folder, {});
  t.notOk('ACCESS_SIGNING_KEYS' in sealed);
  const first = openSecrets(folder, { ACCESS_TOKEN_FORMAT: 'public' });
  const { ACCESS_SIGNING_KEYS: keys, ...others } = first;
  t.match(keys, /^ES256:[A-Za-z0-9_-]{43}$/);
  t.strictSame(others, sealed);
  t.strictSame(openSecrets(folder, { ACCESS_TOKEN_FORMAT: 'public' }), first);
  t.equal(openSecrets(folder, {}).ACCESS_SIGNING_KEYS, keys, 'also accepted after switching back');
  const own = 'EdDSA:of-the-operator';
  t.equal(
    openSecrets(folder, { ACCESS_TOKEN_FORMAT: 'public', ACCESS_SIGNING_KEYS: own }).ACCESS_SIGNING_KEYS,
    own,
  );
});

t.test('with all secrets in the environment no file is created', async (t) => {
  const folder = join(t.testdir(), 'data');
  const given = Object.fromEntries([...tokenSecrets, 'DEMO_PASSWORD'].map((name) => [name, `${name}-value`]));
  t.same(openSecrets(folder, given), given);
  t.throws(() => statSync(folder), { code: 'ENOENT' });
});

t.test('a secret that an older file does not have is added, the others stay', async (t) => {
  const folder = t.testdir({ 'secrets.json': JSON.stringify({ ACCESS_SECRET: 'a'.repeat(40) }) });
  const secrets = openSecrets(folder, {});
  t.equal(secrets.ACCESS_SECRET, 'a'.repeat(40));
  t.same(openSecrets(folder, {}), secrets);
});

t.test('another kind of file is rejected in one line and not changed', async (t) => {
  const folder = t.testdir();
  const path = join(folder, 'secrets.json');
  writeFileSync(path, 'not json');
  t.throws(() => openSecrets(folder, {}), {
    name: 'StartError',
    message: /^[^\n]*secrets\.json is no valid file of secrets[^\n]*$/,
  });
  t.equal(readFileSync(path, 'utf8'), 'not json');
});

t.test('every secret of the services and of the launcher may come from a file', async (t) => {
  const challengeEnvironment = environmentWith(await loadAllExtensions());
  const secrets = [SessionEnvironment, challengeEnvironment].flatMap(secretVariablesOf);
  t.same([...fileSecrets].sort(), [...new Set([...secrets, 'DEMO_PASSWORD'])].sort());
});

t.test('a secret from a file is used and not stored, and a missing file is one line', async (t) => {
  const own = 'o'.repeat(40);
  const folder = t.testdir({ access: `${own}\n` });
  const data = join(folder, 'data');
  const environment = readSecretFiles({ ACCESS_SECRET_FILE: join(folder, 'access'), LOG_LEVEL: 'warn' });
  t.same(environment, { ACCESS_SECRET: own, LOG_LEVEL: 'warn' });
  t.equal(openSecrets(data, environment).ACCESS_SECRET, own);
  t.notMatch(readFileSync(join(data, 'secrets.json'), 'utf8'), own);
  t.throws(() => readSecretFiles({ STORE_URL_FILE: '/missing' }), {
    name: 'StartError',
    message: 'STORE_URL_FILE names a file that cannot be read: /missing (file not found)',
  });
});
