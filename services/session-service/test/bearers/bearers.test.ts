// Bearers at GET /verify, what their first use proves, and the limit for rejected ones.

import { setImmediate as turn } from 'node:timers/promises';
import { createProofOfUse, openRevocationLog } from '@tollgate/shared/sessions';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import { headerText } from '../../src/routes/bearer/verify.js';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import {
  heldFrom,
  logIn,
  refresh,
  type SessionNode,
  sessionIdOf,
  startNode,
  until,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

const ANN = 'ann@example.com';
const LIMIT = 5;
const env = { RATE_LIMIT_SESSION: String(LIMIT) };

// Forward authentication: responses to a gateway for each bearer.

t.test("a valid bearer's user is returned in headers, for GET and HEAD", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, 'ann@example.com', 'zoë+50%@exämple.com');
    const node = await startNode(t, { store, directory });
    const ann = await logIn(node, 'ann@example.com');
    const zoe = await logIn(node, 'zoë+50%@exämple.com');
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await withBearer(node, method, '/verify', ann);
      t.equal(answer.statusCode, 204);
      t.equal(answer.body, '');
      t.equal(answer.headers['x-auth-user-id'], '1');
      t.equal(answer.headers['x-auth-user-email'], 'ann@example.com');
      t.match(answer.headers['x-auth-session-id'], /^[A-Za-z0-9]{22}$/);
      t.equal(answer.headers['x-auth-amr'], 'pwd');
      t.ok(Math.abs(Number(answer.headers['x-auth-time']) - Date.now() / 1000) < 5);
      t.equal(answer.headers['cache-control'], 'no-store');
    }
    const encoded = (await withBearer(node, 'GET', '/verify', zoe)).headers['x-auth-user-email'];
    t.equal(encoded, 'zo%C3%AB+50%25@ex%C3%A4mple.com');
    t.equal(decodeURIComponent(String(encoded)), 'zoë+50%@exämple.com');
    t.not(await sessionIdOf(node, ann), await sessionIdOf(node, zoe));
  });
});

t.test('any other bearer is 401, with the same body for every reason', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory });
  const { accessToken, cookie } = await logIn(node, 'ann@example.com');
  const refreshToken = cookie.slice(cookie.indexOf('=') + 1);
  const headers = [undefined, '', 'Bearer', 'Bearer ', `Basic ${accessToken}`, `Bearer ${accessToken}x`];
  for (const authorization of [...headers, `Bearer ${refreshToken}`, accessToken]) {
    const answer = await node.app.inject({
      url: '/verify',
      headers: authorization === undefined ? {} : { authorization },
    });
    t.equal(answer.statusCode, 401);
    t.equal(answer.headers['www-authenticate'], 'Bearer');
    t.equal(answer.headers['x-auth-user-id'], undefined);
    t.strictSame(answer.json(), { message: 'Please sign in.', code: 'token_invalid' });
  }
});

t.test('GET /verify has no rate limit', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory, env: { RATE_LIMIT_SESSION: '1' } });
  const held = await logIn(node, 'ann@example.com');
  for (let times = 0; times < 50; times++) {
    const answer = await withBearer(node, 'GET', '/verify', held);
    if (answer.statusCode !== 204) t.equal(answer.statusCode, 204);
    if (times === 49) t.equal(answer.headers['ratelimit-limit'], undefined);
  }
});

t.test('decoding returns the original text, and only printable ASCII is sent', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const sent = headerText(text);
      return /^[\x21-\x7e]*$/.test(sent) && decodeURIComponent(sent) === text;
    }),
    { numRuns: 2000 },
  );
  t.equal(headerText('ann+x@example.com'), 'ann+x@example.com');
  t.equal(headerText('50% ö\r\nX: y'), '50%25%20%C3%B6%0D%0AX:%20y');
});

// Rejected bearers have their own limit, which valid ones do not share.

const ROUTES = [
  ['POST', '/logout'],
  ['GET', '/profile'],
  ['GET', '/sessions'],
  ['DELETE', '/sessions'],
  ['DELETE', '/sessions/aaaaaaaaaaaaaaaaaaaaaa'],
] as const;

function stranger({ app }: SessionNode, method: 'GET' | 'POST' | 'DELETE', url: string, bearer?: string) {
  return app.inject({
    method,
    url,
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });
}

t.test('logouts without a bearer token do not lock out other clients behind the address', async (t) => {
  const node = await startNode(t, {
    store: embeddedStore(t).store,
    directory: await userDirectory(t, ANN),
    env,
  });
  const held = await logIn(node, ANN);
  for (let i = 0; i < 3 * LIMIT; i++) await stranger(node, 'POST', '/logout');
  const profile = await withBearer(node, 'GET', '/profile', held);
  t.equal(profile.statusCode, 200);
  t.match(profile.headers, { 'ratelimit-limit': '5', 'ratelimit-remaining': '4' });
  t.equal((await withBearer(node, 'POST', '/logout', held)).statusCode, 204);
});

t.test('rejected bearers share one limit on all routes, which never affects valid ones', async (t) => {
  for (const [method, url] of ROUTES) {
    const node = await startNode(t, {
      store: embeddedStore(t).store,
      directory: await userDirectory(t, ANN),
      env,
    });
    const held = await logIn(node, ANN);
    for (let i = 0; i < LIMIT; i++) {
      const [eachMethod, eachUrl] = ROUTES[i] ?? ROUTES[0];
      const refused = await stranger(node, eachMethod, eachUrl, i % 2 === 0 ? 'forged' : undefined);
      t.equal(refused.statusCode, 401, eachUrl);
      t.equal(refused.headers['www-authenticate'], 'Bearer');
      t.match(refused.headers, { 'ratelimit-limit': '5', 'ratelimit-remaining': String(LIMIT - 1 - i) });
    }
    const limited = await stranger(node, method, url, 'forged');
    t.equal(limited.statusCode, 429, `${method} ${url}`);
    t.equal(limited.json().code, 'rate_limited');
    t.match(limited.headers, {
      'retry-after': /^\d+$/,
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'ratelimit-reset': /^\d+$/,
    });
    t.notOk('www-authenticate' in limited.headers);
    t.equal((await stranger(node, 'GET', '/verify', 'forged')).statusCode, 401, 'which is not limited');
    t.not((await withBearer(node, method, url, held)).statusCode, 429, 'a valid one is served');
  }
});

t.test('valid bearers have their own limit and do not count towards that of rejected ones', async (t) => {
  const node = await startNode(t, {
    store: embeddedStore(t).store,
    directory: await userDirectory(t, ANN),
    env,
  });
  const held = await logIn(node, ANN);
  for (let i = 0; i < LIMIT; i++) t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200);
  t.equal((await withBearer(node, 'GET', '/sessions', held)).statusCode, 429);
  t.equal((await stranger(node, 'GET', '/profile', 'forged')).statusCode, 401);
});

t.test(
  'an interrupted logout is completed within the limit, and beyond it the store is not queried',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const node = await startNode(t, { store, directory: await userDirectory(t, ANN), env });
      const sessions = openSessionStore(store);
      const halfEnded = async () => {
        const held = await logIn(node, ANN);
        const sid = await sessionIdOf(node, held);
        await openRevocationLog(store).append({ sids: [sid], keepMs: 60_000 });
        await until(async () => node.revocations.isRevoked(sid));
        return held;
      };
      const first = await withBearer(node, 'POST', '/logout', await halfEnded());
      t.match([first.statusCode, first.json().code], [401, 'session_revoked']);
      t.strictSame(await sessions.list(1), []);

      for (let i = 1; i < LIMIT; i++) await stranger(node, 'POST', '/logout');
      const beyond = await withBearer(node, 'POST', '/logout', await halfEnded());
      t.equal(beyond.statusCode, 429);
      t.equal((await sessions.list(1)).length, 1);
    });
  },
);

// A generation is proven used when one of its access tokens is first verified.

t.test('an old token recovers a lost response, but not a used one', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const directory = await userDirectory(t, 'ann@example.com');
    const node = await startNode(t, { store, directory });
    for (const isUsed of [true, false]) {
      const first = await logIn(node, 'ann@example.com');
      const second = heldFrom(await refresh(node, first));
      if (isUsed) await withBearer(node, 'GET', '/profile', second);
      await age(60_000);
      t.equal((await refresh(node, first)).statusCode, isUsed ? 401 : 200);
    }
  });
});

t.test('there is one write per generation and node, and none for a rejected token', async (t) => {
  const { store, redis } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory });
  const first = await logIn(node, 'ann@example.com');
  const proofs = async (during: () => Promise<unknown>) => {
    const sent = await redis.commands(async () => {
      await during();
      // The request does not wait for the write, but the connection keeps the order.
      await openSessionStore(store).list(99);
    });
    return sent.filter((command) => /^eval.* 1 session:\{1\} \S{22} \d+$/.test(command)).length;
  };
  const use = (held: typeof first, times: number) => async () => {
    for (let time = 0; time < times; time++) await withBearer(node, 'GET', '/profile', held);
  };
  t.equal(await proofs(use(first, 10)), 1);
  t.equal(await proofs(use(first, 10)), 0);
  const second = heldFrom(await refresh(node, first));
  t.equal(await proofs(use(second, 10)), 1);
  t.equal(await proofs(use(first, 3)), 0, 'an older generation is proven with a newer one');
  await withBearer(node, 'POST', '/logout', second);
  t.equal(await proofs(use(second, 3)), 0);
  t.equal(await proofs(use({ accessToken: 'x', cookie: '' }, 3)), 0);
});

t.test('a failed write is ignored', async (t) => {
  const { store, redis } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory });
  const held = await logIn(node, 'ann@example.com');
  await redis.stop();
  await until(() => node.revocations.lagSeconds() > 0);
  t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200);
});

t.test('memory is bounded: the least recently seen session is written again', async (t) => {
  const written: string[] = [];
  const prove = createProofOfUse(
    {
      async proveUsed({ sid, generation }) {
        written.push(`${sid}${generation}`);
      },
    },
    2,
  );
  for (const sid of ['a', 'b', 'a', 'c', 'b', 'a']) prove({ id: 1, sid, gen: 1 });
  t.strictSame(written, ['a1', 'b1', 'c1', 'a1']);
});

t.test('after a store error a used generation was never written', async (t) => {
  const written: number[] = [];
  let isDown = true;
  const prove = createProofOfUse({
    async proveUsed({ generation }) {
      if (isDown) throw new Error('the store does not respond');
      written.push(generation);
    },
  });
  const claims = { id: 1, sid: 'a', gen: 2 };
  prove(claims);
  await turn();
  isDown = false;
  prove(claims);
  prove(claims);
  t.strictSame(written, [2]);
});
