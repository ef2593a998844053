// Another Fastify service that verifies bearers by itself.

import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { exportAccessKeys } from '../../src/crypto/access-keys.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import { bearerOf } from '../../src/http/tokens/bearer.js';
import bearerGuard, { type BearerGuardOptions } from '../../src/http/tokens/bearer-guard.js';
import tokens from '../../src/http/tokens/tokens.js';
import { openKeyRecord, SILENCE_MS } from '../../src/keys/key-record.js';
import { openRevocationLog } from '../../src/sessions/open-revocation-log.js';
import { eachKind } from '../support/stores.js';

const ACCESS_SECRET = 'access-secret-of-this-test-0123456789';
const REFRESH_SECRET = 'refresh-secret-of-this-test-0123456789';
const ENCRYPTION_KEY = 'encryption-key-of-this-test-0123456789';
const SID = '0123456789ABCDEFGHIJKL';
const accessKeys = exportAccessKeys(openKeyRing(ENCRYPTION_KEY));

/** What the session service makes. */
async function issuer(t: Test) {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(tokens, {
    accessSecrets: openKeyRing(ACCESS_SECRET),
    refreshSecrets: openKeyRing(REFRESH_SECRET),
    encryptionKeys: openKeyRing(ENCRYPTION_KEY),
  });
  const iat = Math.floor(Date.now() / 1000);
  const access = (lifeSeconds = 900) =>
    app.tokens.access.issue({
      id: 7,
      email: 'ann@example.com',
      sid: SID,
      gen: 1,
      iat,
      exp: iat + lifeSeconds,
    });
  const refresh = app.tokens.refresh.issue({
    ...{ sub: '7', email: 'ann@example.com', sid: SID, gen: 1, iat, exp: iat + 900 },
  });
  return { access, refresh };
}

async function host(t: Test, options: Partial<BearerGuardOptions> = {}) {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(bearerGuard, { accessSecret: ACCESS_SECRET, accessKeys, ...options });
  app.get('/whose', { onRequest: app.requireBearer }, async (request) => bearerOf(request));
  const ask = (token?: string) =>
    app.inject({ url: '/whose', headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  return { app, ask };
}

t.test('a bearer of the session service is verified without it, everything else is 401', async (t) => {
  const { access, refresh } = await issuer(t);
  const { ask } = await host(t);
  const answer = await ask(access());
  t.equal(answer.statusCode, 200);
  t.match(answer.json(), { id: 7, email: 'ann@example.com', sid: SID, gen: 1 });
  for (const token of [undefined, '', 'x', `${access()}A`, refresh, access(-60)]) {
    const refused = await ask(token);
    t.equal(refused.statusCode, 401);
    t.match(refused.headers, {
      'www-authenticate': 'Bearer',
      'cache-control': 'no-store',
      'content-language': 'en',
      vary: 'Accept-Language',
    });
    t.strictSame(refused.json(), { message: 'Please sign in.', code: 'token_invalid' });
  }
});

t.test(
  'its refusals are its own beside the error handler of the host, in the language of the request',
  async (t) => {
    const { app } = await host(t);
    app.setErrorHandler((_error, _request, reply) => reply.code(500).send({ own: true }));
    app.get('/broken', { onRequest: app.requireBearer }, async () => {
      throw new Error('a mistake of the host');
    });
    const refused = await app.inject({ url: '/broken', headers: { 'accept-language': 'fr' } });
    t.equal(refused.statusCode, 401);
    t.equal(refused.headers['content-language'], 'fr');
    t.strictSame(refused.json(), { message: 'Veuillez vous connecter.', code: 'token_invalid' });
    const { access } = await issuer(t);
    const headers = { authorization: `Bearer ${access()}` };
    t.strictSame((await app.inject({ url: '/broken', headers })).json(), { own: true });
  },
);

t.test('other keys or another secret open nothing', async (t) => {
  const { access } = await issuer(t);
  const foreign = 'another-secret-of-this-test-0123456789';
  for (const options of [{ accessSecret: foreign }, { accessKeys: exportAccessKeys(openKeyRing(foreign)) }]) {
    t.equal((await (await host(t, options)).ask(access())).statusCode, 401);
  }
  await t.rejects(host(t, { accessKeys: ENCRYPTION_KEY }), { name: 'RangeError' });
});

t.test('with the store an ended session is refused at once, and closing stops to follow', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { access } = await issuer(t);
    const { app, ask } = await host(t, { store });
    t.equal((await ask(access())).statusCode, 200);
    await openRevocationLog(store).append({ sids: [SID], keepMs: 960_000 });
    const limitMs = performance.now() + 1000;
    let answer = await ask(access());
    while (answer.statusCode === 200 && performance.now() < limitMs) {
      // Injected requests alone would keep the event loop from everything else.
      await new Promise((resolve) => setTimeout(resolve, 5));
      answer = await ask(access());
    }
    t.equal(answer.statusCode, 401);
    t.equal(answer.headers['www-authenticate'], 'Bearer');
    t.strictSame(answer.json(), {
      message: 'Your session has been ended. Please sign in again.',
      code: 'session_revoked',
    });
    await app.close();
  });
});

t.test('a token that lives longer than ACCESS_TTL is refused', async (t) => {
  const { access } = await issuer(t);
  const { ask } = await host(t);
  t.equal((await ask(access(900))).statusCode, 200);
  t.equal((await ask(access(901))).statusCode, 401);
  t.equal((await ask(access(864_000))).statusCode, 401);
  const patient = await host(t, { accessTtl: 3600 });
  t.equal((await patient.ask(access(3600))).statusCode, 200);
  t.equal((await patient.ask(access(3601))).statusCode, 401);
});

t.test(
  'with the store it takes a life that a node of the session service makes, and no longer one',
  async (t) => {
    await eachKind(t, async (t, { store, age }) => {
      const { access } = await issuer(t);
      const report = (seconds: number) =>
        openKeyRecord(store).report(
          'a node',
          { makes: true, ids: {}, lives: { access: seconds, refresh: 86_400 } },
          true,
        );
      await report(1800);
      const during = await host(t, { store });
      t.equal((await during.ask(access(1800))).statusCode, 200);
      t.equal((await during.ask(access(1801))).statusCode, 401);
      await age(SILENCE_MS + 1_800_000);
      const after = await host(t, { store });
      t.equal((await after.ask(access(1800))).statusCode, 401, 'no such token is alive any more');
    });
  },
);

t.test('it lives beside a @fastify/jwt of the host', async (t) => {
  const { access } = await issuer(t);
  const app = Fastify();
  t.teardown(() => app.close());
  const { default: fastifyJwt } = await import('@fastify/jwt');
  await app.register(fastifyJwt, { secret: 'a secret of the host itself' });
  await app.register(bearerGuard, { accessSecret: ACCESS_SECRET, accessKeys });
  t.equal((await app.verifyAccess(access())).ok, true);
  t.match(app.jwt.verify(app.jwt.sign({ own: true })), { own: true });
});
