// The settings of a local system: ports and secrets, challenge names and price, defaults for one machine.

import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { environmentWith } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { secretVariablesOf } from '@tollgate/shared/config';
import { pageSegments, shippedPage } from '@tollgate/tools/demo/demo-page.js';
import { readChallengeNames } from '@tollgate/tools/gateway/challenge-names.js';
import { readShownPrice } from '@tollgate/tools/gateway/shown-price.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  environmentFor,
  projectRoot,
  readPorts,
} from '@tollgate/tools/launcher/local-environment.js';
import { fileSecrets, openSecrets, readSecretFiles } from '@tollgate/tools/launcher/secrets.js';
import t from 'tap';

const usualPorts = {
  gateway: 8080,
  session: 3001,
  sessionAdmin: 9001,
  challenge: 3002,
  challengeAdmin: 9002,
};

const tokenSecrets = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY', 'CHALLENGE_SECRET'] as const;

t.test('ports have their documented defaults and come from their variables', async (t) => {
  t.same(readPorts({}), usualPorts);
  t.same(readPorts({ GATEWAY_PORT: '0', SESSION_PORT: '', CHALLENGE_ADMIN_PORT: '1234' }), {
    ...usualPorts,
    gateway: 0,
    challengeAdmin: 1234,
  });
});

t.test('every invalid port gets a line', async (t) => {
  t.throws(() => readPorts({ GATEWAY_PORT: 'http', SESSION_PORT: '65536', CHALLENGE_PORT: '-1' }), {
    name: 'StartError',
    message: ['GATEWAY_PORT', 'SESSION_PORT', 'CHALLENGE_PORT']
      .map((name) => `${name} must be a whole number from 0 to 65535.`)
      .join('\n'),
  });
});

t.test('a port in use is reported with its variable, and so is a port set twice', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  await t.rejects(settlePorts({ ...ANY_PORTS, session: port }), {
    name: 'StartError',
    message: `Port ${port} is in use; set SESSION_PORT to another one, or stop the program that uses it.`,
  });
  const free = (await settlePorts(ANY_PORTS)).gateway;
  await t.rejects(settlePorts({ ...ANY_PORTS, gateway: free, challenge: free }), {
    message: `GATEWAY_PORT and CHALLENGE_PORT are both ${free}.`,
  });
});

t.test('0 becomes five different free ports', async (t) => {
  const ports = Object.values(await settlePorts(ANY_PORTS));
  t.equal(new Set(ports).size, 5);
  for (const port of ports) t.ok(port >= 20_000 && port < 32_000);
});

t.test('defaults for one machine are added, and the environment takes precedence', async (t) => {
  t.match(completeForLocalUse({}, usualPorts), {
    PUBLIC_URL: 'http://localhost:8080',
    TRUST_PROXY: 'loopback',
    DRAIN_SECONDS: '0',
    DATA_DIR: join(projectRoot, 'data'),
    SESSION_PORT: '3001',
  });
  t.match(completeForLocalUse({ DRAIN_SECONDS: '3', TRUST_PROXY: '', DATA_DIR: 'x/y' }, usualPorts), {
    DRAIN_SECONDS: '3',
    TRUST_PROXY: 'loopback',
    DATA_DIR: join(projectRoot, 'x', 'y'),
  });
});

t.test('a service does not get the secrets of the other one', async (t) => {
  const all = {
    CHALLENGE_SECRET: 'c',
    ACCESS_SECRET: 'a',
    REFRESH_SECRET: 'r',
    ENCRYPTION_KEY: 'e',
    DEMO_PASSWORD: 'd',
  };
  t.same(environmentFor('challenge-service', all), { CHALLENGE_SECRET: 'c' });
  const { DEMO_PASSWORD: _demo, ...tokens } = all;
  t.same(environmentFor('session-service', all), tokens);
  const keys = { HOST_API_KEY: 'h', HOST_API_KEYS: 'a:b', SESSION_API_KEY: 's' };
  t.same(environmentFor('challenge-service', keys), { HOST_API_KEY: 'h', HOST_API_KEYS: 'a:b' });
  t.same(environmentFor('session-service', keys), { SESSION_API_KEY: 's' });
  const files = { CHALLENGE_SECRET_FILE: '/c', ACCESS_SECRET_FILE: '/a', DEMO_PASSWORD_FILE: '/d' };
  t.same(environmentFor('challenge-service', files), { CHALLENGE_SECRET_FILE: '/c' });
});

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

t.test('the names are the defaults, or those of the environment', async (t) => {
  t.strictSame(readChallengeNames({ CAPTCHA_POW_DIFFICULTY: '20' }, []), {
    prefix: 'api/captcha',
    fields: {
      pow_token: 'pow_token',
      pow_nonce: 'pow_nonce',
      captcha_token: 'captcha_token',
      captcha: 'captcha',
    },
  });
  const environment = {
    CAPTCHA_ROUTES_PREFIX: 'challenges/v1',
    CAPTCHA_POW_FIELDS_TOKEN: 'work.id',
    CAPTCHA_POW_FIELDS_NONCE: 'work.nonce',
    CAPTCHA_FIELDS_TOKEN: 'image-id',
    CAPTCHA_FIELDS_ANSWER: 'image-text',
  };
  t.strictSame(readChallengeNames(environment, []), {
    prefix: 'challenges/v1',
    fields: {
      pow_token: 'work.id',
      pow_nonce: 'work.nonce',
      captcha_token: 'image-id',
      captcha: 'image-text',
    },
  });
});

for (const prefix of [
  'app.js',
  'sign-in.js',
  'index.html',
  'icon.svg',
  'style',
  'texts/x',
  'page.json',
  'client/x',
  'forms',
  'docs/x',
]) {
  t.test(`${prefix} is reserved for the demo page`, async (t) => {
    const [first] = prefix.split('/');
    t.throws(() => readChallengeNames({ CAPTCHA_ROUTES_PREFIX: prefix }, pageSegments(shippedPage.folder)), {
      name: 'StartError',
      message: `CAPTCHA_ROUTES_PREFIX must not begin with "${first}", which is a path of the demo page.`,
    });
  });
}

t.test('a name that only begins like a reserved one is free', async (t) => {
  const environment = { CAPTCHA_ROUTES_PREFIX: 'app.json/style' };
  t.equal(readChallengeNames(environment, pageSegments(shippedPage.folder)).prefix, 'app.json/style');
});

t.test('the price terms are numbers, the defaults or those of the environment', async (t) => {
  t.strictSame(readShownPrice({}), { floor: 16, ceiling: 24, step: 2, imageAfter: 2 });
  const environment = {
    CAPTCHA_POW_DIFFICULTY: '10',
    CAPTCHA_POW_MAX_DIFFICULTY: '20',
    CAPTCHA_POW_STEP: '3',
    CAPTCHA_ESCALATION_AFTER: '1',
  };
  t.strictSame(readShownPrice(environment), { floor: 10, ceiling: 20, step: 3, imageAfter: 1 });
  t.equal(readShownPrice({ ...environment, CAPTCHA_POW_ESCALATE: 'false' }).step, 0);
});
