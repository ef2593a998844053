// Bearer guard: another Fastify service verifies access tokens itself.

import { join } from 'node:path';
import {
  createSigningKey,
  exportAccessKeys,
  jwksOf,
  openKeyRing,
  openSigningKeys,
} from '@tollgate/shared/crypto';
import type { AccessClaims } from '@tollgate/shared/schemas';
import { openAccessLifetimes, openRevocationLog } from '@tollgate/shared/sessions';
import { openKeyRecord, SILENCE_MS } from '@tollgate/shared/store';
import { bearerOf, tokens } from '@tollgate/shared/tokens';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { bearer, bearerGuard } from '../src/tollgate.js';

const ACCESS_SECRET = 'access-secret-of-this-test-0123456789';
const REFRESH_SECRET = 'refresh-secret-of-this-test-0123456789';
const ENCRYPTION_KEY = 'encryption-key-of-this-test-0123456789';
const SID = '0123456789ABCDEFGHIJKL';
const accessKeys = exportAccessKeys(openKeyRing(ENCRYPTION_KEY));

const signingKeys = openSigningKeys(createSigningKey('ES256'));
const NAMES = { issuer: 'https://auth.example.com', audiences: ['https://api.example.com'] };

/** Token issuer of the session service, and the guard's variables to verify its tokens. */
const FORMATS = {
  sealed: {
    options: { accessSecrets: openKeyRing(ACCESS_SECRET) },
    variables: { ACCESS_SECRET, ACCESS_KEYS: accessKeys } as Record<string, string>,
  },
  public: {
    options: { publicTokens: { ...NAMES, keys: signingKeys, clientId: 'tollgate', issued: true } },
    variables: {
      ACCESS_PUBLIC_KEYS: JSON.stringify(jwksOf(signingKeys.all)),
      ACCESS_TOKEN_ISSUER: NAMES.issuer,
      ACCESS_TOKEN_AUDIENCE: NAMES.audiences.join(','),
    } as Record<string, string>,
  },
};
type Format = (typeof FORMATS)[keyof typeof FORMATS];

/** Runs a test for each format of access tokens. */
function eachFormat(name: string, test: (t: Test, format: Format) => Promise<void>): void {
  for (const [format, details] of Object.entries(FORMATS)) {
    t.test(`${name}: ${format}`, (t) => test(t, details));
  }
}

/** Issues tokens like the session service. */
async function issuer(t: Test, { options }: Format) {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(tokens, {
    ...options,
    refreshSecrets: openKeyRing(REFRESH_SECRET),
    encryptionKeys: openKeyRing(ENCRYPTION_KEY),
  });
  const iat = Math.floor(Date.now() / 1000);
  const access = (lifeSeconds = 900, more: Partial<AccessClaims> = {}) =>
    app.tokens.access.issue({
      id: 7,
      email: 'ann@example.com',
      sid: SID,
      gen: 1,
      iat,
      exp: iat + lifeSeconds,
      ...more,
    });
  const refresh = app.tokens.refresh.issue({
    sub: '7',
    email: 'ann@example.com',
    sid: SID,
    gen: 1,
    iat,
    exp: iat + 900,
  });
  return { access, refresh };
}

async function application(t: Test, { variables }: Format, more: Readonly<Record<string, string>> = {}) {
  const app = Fastify();
  t.teardown(() => app.close());
  const environment = { ...variables, ...more };
  await app.register(bearerGuard, { environment });
  app.get('/whose', { onRequest: app.requireBearer }, async (request) => bearerOf(request));
  const ask = (token?: string) =>
    app.inject({ url: '/whose', headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  return { app, ask };
}

eachFormat(
  'an access token is verified without the session service, everything else is 401',
  async (t, format) => {
    const { access, refresh } = await issuer(t, format);
    const { ask } = await application(t, format);
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
  },
);

eachFormat(
  'its error responses bypass the application’s error handler, and are in the language of the request',
  async (t, format) => {
    const { app } = await application(t, format);
    app.setErrorHandler((_error, _request, reply) => reply.code(500).send({ own: true }));
    app.get('/broken', { onRequest: app.requireBearer }, async () => {
      throw new Error('a mistake of the application');
    });
    const refused = await app.inject({ url: '/broken', headers: { 'accept-language': 'fr' } });
    t.equal(refused.statusCode, 401);
    t.equal(refused.headers['content-language'], 'fr');
    t.strictSame(refused.json(), { message: 'Veuillez vous connecter.', code: 'token_invalid' });
    const { access } = await issuer(t, format);
    const headers = { authorization: `Bearer ${access()}` };
    t.strictSame((await app.inject({ url: '/broken', headers })).json(), { own: true });
  },
);

t.test('tokens under other keys or another secret are rejected', async (t) => {
  const format = FORMATS.sealed;
  const { access } = await issuer(t, format);
  const foreign = 'another-secret-of-this-test-0123456789';
  for (const variables of [
    { ACCESS_SECRET: foreign },
    { ACCESS_KEYS: exportAccessKeys(openKeyRing(foreign)) },
  ]) {
    t.equal((await (await application(t, format, variables)).ask(access())).statusCode, 401);
  }
  await t.rejects(application(t, format, { ACCESS_KEYS: ENCRYPTION_KEY }), {
    name: 'ConfigurationError',
    message: /^ACCESS_KEYS /,
  });
});

eachFormat(
  'with the store an ended session is rejected at once, and closing stops the follower',
  async (t, format) => {
    await eachKind(t, async (t, { store, url }) => {
      const { access } = await issuer(t, format);
      const { app, ask } = await application(t, format, { STORE_URL: url });
      t.equal((await ask(access())).statusCode, 200);
      await openRevocationLog(store).append({ sids: [SID], keepMs: 960_000 });
      const limitMs = performance.now() + 1000;
      let answer = await ask(access());
      while (answer.statusCode === 200 && performance.now() < limitMs) {
        // Injected requests alone would starve the event loop.
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
  },
);

eachFormat('a token with a longer lifetime than ACCESS_TTL is rejected', async (t, format) => {
  const { access } = await issuer(t, format);
  const { ask } = await application(t, format);
  t.equal((await ask(access(900))).statusCode, 200);
  t.equal((await ask(access(901))).statusCode, 401);
  t.equal((await ask(access(864_000))).statusCode, 401);
  const patient = await application(t, format, { ACCESS_TTL: '3600' });
  t.equal((await patient.ask(access(3600))).statusCode, 200);
  t.equal((await patient.ask(access(3601))).statusCode, 401);
});

eachFormat(
  'with the store it accepts lifetimes up to the one reported by a session service node',
  async (t, format) => {
    await eachKind(t, async (t, { store, url, age }) => {
      const { access } = await issuer(t, format);
      const report = (seconds: number) =>
        openKeyRecord(store).report(
          'a node',
          { makes: true, ids: {}, lifetimes: { access: seconds, refresh: 86_400 } },
          true,
        );
      await report(1800);
      const during = await application(t, format, { STORE_URL: url });
      t.equal((await during.ask(access(1800))).statusCode, 200);
      t.equal((await during.ask(access(1801))).statusCode, 401);
      await age(SILENCE_MS + 1_800_000);
      t.equal(await openAccessLifetimes(900, store).allows(1800), false, 'all such tokens have expired');
      // The clock of an embedded store is changed for this opening only.
      if (store.kind === 'embedded') return;
      const after = await application(t, format, { STORE_URL: url });
      t.equal((await after.ask(access(1800))).statusCode, 401, 'and it is rejected');
    });
  },
);

t.test('a wrong path of the store file rejected no ended session, without a line', async (t) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const app = Fastify({ logger: { level: 'warn', stream } });
  t.teardown(() => app.close());
  const store = `file:${join(tempDir(t), 'data', 'tollgate.db')}`;
  await app.register(bearerGuard, { environment: { ...FORMATS.sealed.variables, STORE_URL: store } });
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ store, msg: /^STORE_URL names a missing file/ }],
  );
});

t.test('a short outage rejected valid long tokens for ten seconds after it', async (t) => {
  const { store, redis } = await redisStore(t);
  const report = { makes: true, ids: {}, lifetimes: { access: 1800, refresh: 86_400 } };
  await openKeyRecord(store).report('a node', report, true);
  const known = openAccessLifetimes(900, store);
  t.equal(await known.allows(1800), true);
  const unknown = openAccessLifetimes(900, store);
  await redis.client.call('CLIENT', 'PAUSE', '1500', 'ALL');
  t.equal(await unknown.allows(1800), false, 'nothing is known yet');
  await until(async () => unknown.allows(1800), 'the store is asked again soon');
  t.equal(await known.allows(1801), false);
});

eachFormat('it works beside the application’s own @fastify/jwt', async (t, format) => {
  const { access } = await issuer(t, format);
  const app = Fastify();
  t.teardown(() => app.close());
  const { default: fastifyJwt } = await import('@fastify/jwt');
  await app.register(fastifyJwt, { secret: 'a secret of the application itself' });
  await app.register(bearerGuard, { environment: format.variables });
  t.equal((await app.verifyAccess(access())).ok, true);
  t.match(app.jwt.verify(app.jwt.sign({ own: true })), { own: true });
});

eachFormat('handlers see the claims of the directory', async (t, format) => {
  const { access } = await issuer(t, format);
  const { app } = await application(t, format);
  const onRequest = app.requireBearer;
  app.get('/claims', { onRequest }, async (request) => ({ claims: bearerOf(request).claims ?? null }));
  const ask = async (token: string) =>
    (await app.inject({ url: '/claims', headers: { authorization: `Bearer ${token}` } })).json();
  const claims = { roles: ['editor'], tenant: { id: 7 } };
  t.strictSame(await ask(access(900, { claims })), { claims });
  t.strictSame(await ask(access()), { claims: null });
});

eachFormat('maxAuthAge rejects a token after too old an authentication', async (t, format) => {
  const { access } = await issuer(t, format);
  const { app } = await application(t, format);
  app.get('/transfer', { onRequest: bearer({ maxAuthAge: 300 }) }, async (request) => bearerOf(request));
  app.get('/plain', { onRequest: bearer() }, async () => ({ ok: true }));
  app.get('/ever', { onRequest: bearer({ maxAuthAge: 10_000_000_000 }) }, async () => ({ ok: true }));
  const ask = (url: string, token: string) =>
    app.inject({ url, headers: { authorization: `Bearer ${token}`, 'accept-language': 'fr' } });
  const now = Math.floor(Date.now() / 1000);

  for (const agoSeconds of [0, 299, 303]) {
    const answer = await ask('/transfer', access(900, { auth_time: now - agoSeconds, amr: ['pwd'] }));
    t.equal(answer.statusCode, 200, `${agoSeconds} s ago`);
    t.match(answer.json(), { auth_time: now - agoSeconds, amr: ['pwd'] }, 'handlers see the claims');
  }
  const old = [access(900, { auth_time: now - 310 }), access(900, { auth_time: 1_000_000_000 }), access()];
  for (const token of old) {
    const refused = await ask('/transfer', token);
    t.equal(refused.statusCode, 401);
    t.match(refused.headers, {
      'www-authenticate':
        'Bearer error="insufficient_user_authentication", error_description="The user must be authenticated again", max_age="300"',
      'cache-control': 'no-store',
      'content-language': 'fr',
    });
    t.strictSame(refused.json(), {
      message: 'Veuillez confirmer votre identité.',
      code: 'insufficient_user_authentication',
    });
    t.equal((await ask('/plain', token)).statusCode, 200);
  }
  t.equal((await ask('/ever', access(900, { auth_time: 1_000_000_000 }))).statusCode, 200);
  t.equal((await ask('/ever', access())).statusCode, 401, 'a token without auth_time');
  const wrong = await ask('/transfer', 'x');
  t.equal(wrong.json().code, 'token_invalid');
  t.equal(wrong.headers['www-authenticate'], 'Bearer');
  for (const maxAuthAge of [0, -1, 1.5, Number.NaN, '300'])
    t.throws(() => bearer({ maxAuthAge: maxAuthAge as number }), RangeError);
});
