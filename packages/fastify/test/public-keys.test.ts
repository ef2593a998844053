// Public keys: the bearer guard with the keys or their URL, during key and format changes; fetches, and possible responses.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createSigningKey,
  exportAccessKeys,
  jwksOf,
  openKeyRing,
  openSigningKeys,
  type SigningKeys,
} from '@tollgate/shared/crypto';
import { openKeyRecord } from '@tollgate/shared/store';
import { tokens } from '@tollgate/shared/tokens';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import { redisStore } from '@tollgate/test-support/stores.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { readBearerEnvironment } from '../src/bearer-environment.js';
import { COOLDOWN_MS, followRemoteKeys, KEEP_MS, REFRESH_AFTER_MS } from '../src/remote-keys.js';
import { bearerGuard } from '../src/tollgate.js';

const NAMES = { issuer: 'https://auth.example.com', audiences: ['https://api.example.com'] };
const ISSUED_FOR = { ACCESS_TOKEN_ISSUER: NAMES.issuer, ACCESS_TOKEN_AUDIENCE: 'https://api.example.com' };
const ACCESS_SECRET = 'access-secret-of-this-test-0123456789';
const ENCRYPTION_KEY = openKeyRing('encryption-key-of-this-test-0123456789');
const [OLD, NEXT] = [createSigningKey('ES256'), createSigningKey('EdDSA')];

/** Issues a token like a session service node with these keys. */
async function issue(t: Test, keys: SigningKeys | undefined, lifeSeconds = 900): Promise<string> {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(tokens, {
    ...(keys === undefined
      ? { accessSecrets: openKeyRing(ACCESS_SECRET) }
      : { publicTokens: { ...NAMES, keys, clientId: 'tollgate', issued: true } }),
    refreshSecrets: openKeyRing('refresh-secret-of-this-test-0123456789'),
    encryptionKeys: ENCRYPTION_KEY,
  });
  const iat = Math.floor(Date.now() / 1000);
  const session = { id: 7, email: 'ann@example.com', sid: '0123456789ABCDEFGHIJKL', gen: 1 };
  return app.tokens.access.issue({ ...session, iat, exp: iat + lifeSeconds });
}

async function guard(t: Test, environment: Readonly<Record<string, string>>) {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(bearerGuard, { environment: { ...ISSUED_FOR, ...environment } });
  app.get('/whose', { onRequest: app.requireBearer }, async ({ bearer }) => bearer);
  return async (token: string) => {
    const answer = await app.inject({ url: '/whose', headers: { authorization: `Bearer ${token}` } });
    return answer.statusCode === 200 ? answer.json().id : answer.json().code;
  };
}

/** Serves public keys, which the test changes. */
async function publish(t: Test, list: string) {
  const served = { list, requests: 0 };
  const server = createServer((_request, response) => {
    served.requests += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(jwksOf(openSigningKeys(served.list).all)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { served, url: `http://127.0.0.1:${port}/.well-known/jwks.json` };
}

const [ONE, TWO] = [createSigningKey('ES256'), createSigningKey('EdDSA')];
const setOf = (list: string) => JSON.stringify(jwksOf(openSigningKeys(list).all));
const ids = (list: string) => openSigningKeys(list).all.map(({ id }) => id);

type Answer = (response: ServerResponse) => void;

const answer =
  (body: string, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  };

/** Follows the keys of a test server, with the test's clock. */
async function follow(t: Test, first: Answer) {
  const place = { answer: first, requests: 0, nowMs: 0, lines: [] as string[] };
  const server = createServer((_request, response) => {
    place.requests += 1;
    place.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const line = (_about: object, message: string) => void place.lines.push(message);
  const log = { info: line, warn: line };
  const remote = followRemoteKeys(`http://127.0.0.1:${port}/jwks.json`, log, () => place.nowMs);
  t.teardown(() => {
    remote.stop();
    server.closeAllConnections();
    server.close();
  });
  await remote.refresh();
  return { place, remote, known: () => remote.keys().map(({ id }) => id) };
}

t.test(
  'with the URL it verifies at once, and fetches once for many tokens, including forged ones',
  async (t) => {
    const { served, url } = await publish(t, OLD);
    const ask = await guard(t, { ACCESS_JWKS_URL: url });
    const token = await issue(t, openSigningKeys(OLD));
    for (let count = 0; count < 20; count++) t.equal(await ask(token), 7);
    const foreign = await issue(t, openSigningKeys(createSigningKey('ES256')));
    for (let count = 0; count < 20; count++) t.equal(await ask(foreign), 'token_invalid');
    for (const text of [
      '',
      'x',
      '..',
      `${token}x`,
      await issue(t, undefined),
      await issue(t, openSigningKeys(OLD), -60),
    ]) {
      t.equal(await ask(text), 'token_invalid');
    }
    t.equal(served.requests, 1, 'the keys are too new for another fetch');
  },
);

t.test('a service that starts before its keys are reachable finds them later', async (t) => {
  const { served, url } = await publish(t, OLD);
  const nowhere = await guard(t, { ACCESS_JWKS_URL: 'http://127.0.0.1:1/jwks.json' });
  const token = await issue(t, openSigningKeys(OLD));
  t.equal(await nowhere(token), 'token_invalid');
  // A key published before its first use is known when its first token arrives.
  served.list = `${OLD},${NEXT}`;
  const ask = await guard(t, { ACCESS_JWKS_URL: url });
  served.list = NEXT;
  t.equal(await ask(await issue(t, openSigningKeys(`${NEXT},${OLD}`))), 7);
  t.equal(await ask(token), 7);
});

t.test('with the keys it needs no URL, and reports them to the store', async (t) => {
  const keys = openSigningKeys(`${OLD},${NEXT}`);
  const { store, redis } = await redisStore(t);
  const ACCESS_PUBLIC_KEYS = JSON.stringify(jwksOf(keys.all));
  const ask = await guard(t, { ACCESS_PUBLIC_KEYS, STORE_URL: redis.url });
  for (const list of [OLD, NEXT]) t.equal(await ask(await issue(t, openSigningKeys(list))), 7);
  t.equal(await ask(await issue(t, undefined)), 'token_invalid', 'a sealed token');
  const ids = { ACCESS_SIGNING_KEYS: keys.all.map(({ id }) => id) };
  while ((await openKeyRecord(store).read()).nodes.length === 0) await new Promise(setImmediate);
  t.match((await openKeyRecord(store).read()).nodes, [{ makes: false, ids }]);
});

t.test('with the variables of both formats it accepts both, else only its own', async (t) => {
  const ACCESS_KEYS = exportAccessKeys(ENCRYPTION_KEY);
  const ACCESS_PUBLIC_KEYS = JSON.stringify(jwksOf(openSigningKeys(OLD).all));
  const both = await guard(t, { ACCESS_SECRET, ACCESS_KEYS, ACCESS_PUBLIC_KEYS });
  const sealed = await guard(t, { ACCESS_SECRET, ACCESS_KEYS });
  const issued = [await issue(t, undefined), await issue(t, openSigningKeys(OLD))] as const;
  t.strictSame([await both(issued[0]), await both(issued[1])], [7, 7]);
  t.strictSame([await sealed(issued[0]), await sealed(issued[1])], [7, 'token_invalid']);
});

t.test('a token of another issuer or for another audience is rejected', async (t) => {
  const ACCESS_PUBLIC_KEYS = JSON.stringify(jwksOf(openSigningKeys(OLD).all));
  const token = await issue(t, openSigningKeys(OLD));
  for (const [changes, expected] of [
    [{ ACCESS_TOKEN_ISSUER: 'https://auth.example.com/' }, 'token_invalid'],
    [{ ACCESS_TOKEN_AUDIENCE: 'https://other.example.com' }, 'token_invalid'],
    [{ ACCESS_TOKEN_AUDIENCE: 'https://other.example.com, https://api.example.com' }, 7],
  ] as const) {
    t.equal(await (await guard(t, { ACCESS_PUBLIC_KEYS, ...changes }))(token), expected);
  }
});

t.test('mistakes in the variables stop the start, with one line per mistake', async (t) => {
  const lines = (env: Readonly<Record<string, string>>) =>
    configurationLines(() => readBearerEnvironment(env));
  const ACCESS_PUBLIC_KEYS = JSON.stringify(jwksOf(openSigningKeys(OLD).all));
  const ACCESS_JWKS_URL = 'https://auth.example.com/.well-known/jwks.json';
  t.strictSame(lines({ ...ISSUED_FOR, ACCESS_JWKS_URL }), []);
  t.strictSame(lines({ ...ISSUED_FOR, ACCESS_PUBLIC_KEYS }), []);
  t.match(lines({}), [
    /^ACCESS_SECRET is missing: it must be a secret/,
    /^ACCESS_KEYS is missing: it must be the output/,
  ]);
  t.match(lines(ISSUED_FOR), [/^ACCESS_SECRET is missing/, /^ACCESS_KEYS is missing/]);
  t.strictSame(lines({ ACCESS_JWKS_URL }), [
    'ACCESS_TOKEN_ISSUER is missing: it must be the issuer of tokens',
    'ACCESS_TOKEN_AUDIENCE is missing: it must be names of audiences, separated by commas',
  ]);
  t.match(lines({ ...ISSUED_FOR, ACCESS_JWKS_URL, ACCESS_SECRET }), [/^ACCESS_KEYS is missing/]);
  t.strictSame(lines({ ...ISSUED_FOR, ACCESS_JWKS_URL, ACCESS_PUBLIC_KEYS }), [
    'ACCESS_PUBLIC_KEYS must not be set together with ACCESS_JWKS_URL',
  ]);
  for (const address of ['auth.example.com', 'file:///etc/keys', 'https://user:password@auth.example.com/']) {
    t.match(lines({ ...ISSUED_FOR, ACCESS_JWKS_URL: address }), [/^ACCESS_JWKS_URL must be the URL/]);
  }
  for (const keys of ['x', '{}', 'null', '{"keys":[]}', '{"keys":[{"kty":"oct","k":"AA","kid":"a"}]}', OLD]) {
    t.strictSame(lines({ ...ISSUED_FOR, ACCESS_PUBLIC_KEYS: keys }), [
      'ACCESS_PUBLIC_KEYS must be a JSON Web Key Set, the output of the command keys export-public',
    ]);
  }
});

t.test('keys are fetched at the start, and refetched in the background when old', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  t.strictSame(known(), ids(ONE));
  t.equal(remote.keys(), remote.keys(), 'the same array');
  place.answer = answer(setOf(`${ONE},${TWO}`));
  place.nowMs += REFRESH_AFTER_MS;
  t.strictSame(known(), ids(ONE));
  t.equal(place.requests, 1);
  place.nowMs += 1;
  t.strictSame(known(), ids(ONE), 'nobody waits');
  await remote.refresh();
  t.strictSame(known(), ids(`${ONE},${TWO}`));
  t.equal(place.requests, 2, 'one request for both calls');
  const before = remote.keys();
  place.nowMs += REFRESH_AFTER_MS + 1;
  known();
  await remote.refresh();
  t.equal(place.requests, 3);
  t.equal(remote.keys(), before, 'equal keys are the same array');
});

t.test('a refresh waits for new keys, at most once in thirty seconds', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  place.answer = answer(setOf(TWO));
  for (let count = 0; count < 100; count++) t.equal(remote.refresh(), undefined);
  place.nowMs += COOLDOWN_MS.found;
  const looking = remote.refresh();
  t.ok(looking);
  t.equal(remote.refresh(), looking, 'shared by concurrent callers');
  await looking;
  t.strictSame(known(), ids(TWO), 'a removed key is unknown');
  t.equal(place.requests, 2);
});

t.test('while the URL does not respond, its keys stay in use for an hour', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  place.answer = answer('', 503);
  for (let minutes = 0; minutes < 60; minutes += 10) {
    place.nowMs += 600_000;
    t.strictSame(known(), ids(ONE), `${minutes + 10} minutes`);
    await remote.refresh();
  }
  t.equal(place.nowMs, KEEP_MS);
  place.nowMs += COOLDOWN_MS.failed;
  t.strictSame(known(), []);
  t.strictSame(
    place.lines,
    ['the public keys of access tokens cannot be fetched'],
    'one line for many failures',
  );
  place.answer = answer(setOf(ONE));
  await remote.refresh();
  place.nowMs += COOLDOWN_MS.failed;
  await remote.refresh();
  t.strictSame(known(), ids(ONE));
  t.equal(place.lines.at(-1), 'the public keys of access tokens were fetched again');
});

t.test('an invalid key set changes nothing', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  const answers: Record<string, Answer> = {
    'no JSON': answer('<html>'),
    'no set': answer('{"keys":5}'),
    'an empty set': answer('{"keys":[]}'),
    'a set without a usable key': answer('{"keys":[{"kty":"oct","k":"AAAA","kid":"a"}]}'),
    'an error': answer(setOf(TWO), 404),
    'a redirect': (response) => {
      response.writeHead(302, { location: '/elsewhere' });
      response.end();
    },
    'more than 64 KiB': answer(`${setOf(TWO)}${' '.repeat(65_536)}`),
    'a body without an end': (response) => {
      response.writeHead(200);
      const more = () => response.write('x'.repeat(16_384), (error) => error ?? more());
      more();
    },
    'a connection that breaks': (response) => response.destroy(),
  };
  for (const [name, wrong] of Object.entries(answers)) {
    place.answer = wrong;
    place.nowMs += COOLDOWN_MS.found;
    await remote.refresh();
    t.strictSame(known(), ids(ONE), name);
  }
  t.equal(place.requests, 1 + Object.keys(answers).length, 'a redirect is not followed');
});

t.test('a request without a response ends with the timeout, or with stop', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  place.answer = () => {};
  place.nowMs += COOLDOWN_MS.found;
  const sinceMs = performance.now();
  await remote.refresh();
  t.ok(performance.now() - sinceMs < 4000);
  place.nowMs += COOLDOWN_MS.found;
  const looking = remote.refresh();
  remote.stop();
  await looking;
  t.equal(remote.refresh(), undefined);
  t.strictSame(known(), ids(ONE));
});
