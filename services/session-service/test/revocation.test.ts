// An ended session is rejected by every node, at once and without a store query.

import { openRevocationLog, type RevocationLog } from '@tollgate/shared/sessions';
import { StoreUnavailableError } from '@tollgate/shared/store';
import { eachKind, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { openSessionStore } from '../src/stores/open-session-store.js';
import {
  heldFrom,
  logIn,
  PASSWORD,
  refresh,
  sessionIdOf,
  startNode,
  until,
  userDirectory,
  withBearer,
} from './support/session-node.js';

const ANN = 'ann@example.com';
const env = { ACCESS_TTL: '1' };

/** Two nodes on one store, on Redis each with its own connections. */
async function twoNodes(t: Test, { kind, store, reopen }: StoreUnderTest, env = {}) {
  const directory = await userDirectory(t, 'ann@example.com', 'bob@example.com');
  const here = await startNode(t, { store, directory, env });
  const other = kind === 'redis' ? await reopen() : store;
  return { here, there: await startNode(t, { store: other, directory, env }), directory };
}

/** A log whose tail a test can disconnect and reconnect, while its other functions continue. */
function breakableLog(log: RevocationLog) {
  let isCut = false;
  let close = () => {};
  const cut = () => {
    isCut = true;
    close();
  };
  const mend = () => {
    isCut = false;
  };
  const broken: RevocationLog = {
    ...log,
    async openTail() {
      if (isCut) throw new StoreUnavailableError('cut by the test');
      const tail = await log.openTail();
      close = () => tail.close();
      return tail;
    },
  };
  return { log: broken, cut, mend };
}

t.test(
  'logout on one node: another rejects the bearer within a second, without a store command per request',
  async (t) => {
    await eachKind(t, async (t, place) => {
      const { here, there } = await twoNodes(t, place);
      const held = await logIn(here, 'ann@example.com');
      const stays = await logIn(here, 'ann@example.com');
      t.equal((await withBearer(there, 'GET', '/profile', held)).statusCode, 200);
      t.equal((await withBearer(there, 'GET', '/profile', stays)).statusCode, 200);

      t.equal((await withBearer(here, 'POST', '/logout', held)).statusCode, 204);
      const outAt = performance.now();
      t.equal((await withBearer(here, 'GET', '/profile', held)).statusCode, 401, 'here at once');
      await until(async () => (await withBearer(there, 'GET', '/profile', held)).statusCode === 401);
      const tookMs = performance.now() - outAt;
      t.ok(tookMs < 1000, `refused there after ${tookMs} ms`);
      t.equal((await refresh(there, held)).json().code, 'session_revoked');

      const requests = async () => {
        for (let times = 0; times < 100; times++) {
          const [refused, served] = await Promise.all([
            withBearer(there, 'GET', '/profile', held),
            withBearer(there, 'GET', '/profile', stays),
          ]);
          if (refused.json().code !== 'session_revoked' || served.statusCode !== 200) t.fail('wrong verdict');
        }
      };
      if (place.redis === undefined) await requests();
      else {
        const sent = await place.redis.commands(requests);
        const perRequest = sent.filter((command) => !command.startsWith('xread COUNT 1000 BLOCK 500'));
        t.strictSame(perRequest, [], 'only the followers wait for news');
      }
    });
  },
);

t.test(
  'every route that ends sessions gets 503 while the store is unavailable, and keeps the cookie',
  async (t) => {
    const { store, redis } = await redisStore(t);
    if (store.kind !== 'redis') throw new TypeError('a store on Redis was asked for');
    const directory = await userDirectory(t, 'ann@example.com');
    const node = await startNode(t, { store, directory });
    const held = await logIn(node, 'ann@example.com');
    const { client } = store;
    await redis.stop();
    await until(() => client.status !== 'ready');

    const authorization = `Bearer ${held.accessToken}`;
    const unavailable = [
      { method: 'POST', url: '/logout', headers: { authorization } },
      { method: 'DELETE', url: '/refresh', headers: { cookie: held.cookie } },
      { method: 'POST', url: '/refresh', headers: { cookie: held.cookie } },
      { method: 'DELETE', url: '/sessions', headers: { authorization } },
      { method: 'GET', url: '/sessions', headers: { authorization } },
      { method: 'POST', url: '/login', payload: { email: 'ann@example.com', password: PASSWORD } },
    ] as const;
    for (const request of unavailable) {
      const answer = await node.app.inject(request);
      t.equal(answer.statusCode, 503, `${request.method} ${request.url}`);
      t.equal(answer.headers['set-cookie'], undefined);
      t.equal(answer.headers['retry-after'], '1');
      t.equal(answer.json().code, 'store_unavailable');
    }
    for (const url of ['/profile', '/verify']) {
      t.ok((await withBearer(node, 'GET', url, held)).statusCode < 300, 'verification goes on');
    }

    await redis.start();
    await until(() => client.status === 'ready');
    await node.revocations.caughtUp();
    t.equal(node.revocations.lagSeconds(), 0, 'the log is followed again by itself');
    const again = await logIn(node, 'ann@example.com');
    t.equal((await withBearer(node, 'POST', '/logout', again)).statusCode, 204);
    t.equal((await withBearer(node, 'GET', '/profile', again)).statusCode, 401);
  },
);

t.test('a node that lost the stream queries the store for each token until it has caught up', async (t) => {
  await eachKind(t, async (t, { kind, store, reopen, redis }) => {
    const directory = await userDirectory(t, 'ann@example.com');
    const here = await startNode(t, { store, directory });
    const otherStore = kind === 'redis' ? await reopen() : store;
    const { log, cut, mend } = breakableLog(openRevocationLog(otherStore));
    const there = await startNode(t, { store: otherStore, directory, log });
    const [first, second, third] = [
      await logIn(here, 'ann@example.com'),
      await logIn(here, 'ann@example.com'),
      await logIn(here, 'ann@example.com'),
    ];
    for (const held of [first, second, third]) await withBearer(there, 'GET', '/verify', held);
    cut();
    await until(() => there.revocations.lagSeconds() > 0);

    await withBearer(here, 'POST', '/logout', first);
    t.equal((await withBearer(there, 'GET', '/profile', first)).statusCode, 401, 'asked, and told');
    t.equal((await withBearer(there, 'GET', '/profile', second)).statusCode, 200);
    if (redis !== undefined) {
      const asked = await redis.commands(() => withBearer(there, 'GET', '/profile', second));
      t.equal(asked.filter((command) => /^xread COUNT 1000 STREAMS session:revoked/.test(command)).length, 1);
    }
    await withBearer(here, 'POST', '/logout', second);
    const parallel = await Promise.all(
      Array.from({ length: 50 }, () => withBearer(there, 'GET', '/profile', second)),
    );
    t.ok(parallel.every(({ statusCode }) => statusCode === 401));

    mend();
    await there.revocations.caughtUp();
    t.equal(there.revocations.lagSeconds(), 0);
    t.equal((await withBearer(there, 'GET', '/profile', first)).statusCode, 401);
    if (redis !== undefined) {
      const asked = await redis.commands(() => withBearer(there, 'GET', '/profile', third));
      t.strictSame(
        asked.filter((command) => /^xread COUNT 1000 STREAMS/.test(command)),
        [],
        'caught up: nothing is asked any more',
      );
    }
    await withBearer(here, 'POST', '/logout', third);
    await until(async () => (await withBearer(there, 'GET', '/profile', third)).statusCode === 401);
  });
});

t.test('while the store is unavailable, the entries in memory decide', async (t) => {
  const { store, redis, reopen } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const here = await startNode(t, { store, directory });
  const there = await startNode(t, { store: await reopen(), directory });
  const [ended, stays] = [await logIn(here, 'ann@example.com'), await logIn(here, 'ann@example.com')];
  await withBearer(here, 'POST', '/logout', ended);
  await until(() => there.revocations.size === 1);
  await redis.stop();
  await until(() => there.revocations.lagSeconds() > 0);
  t.equal((await withBearer(there, 'GET', '/profile', ended)).statusCode, 401);
  t.equal((await withBearer(there, 'GET', '/profile', stays)).statusCode, 200);
});

t.test('a killed stream connection is reopened', async (t) => {
  const { store, redis, reopen } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const here = await startNode(t, { store, directory });
  const there = await startNode(t, { store: await reopen(), directory });
  for (let times = 0; times < 3; times++) {
    const held = await logIn(here, 'ann@example.com');
    const clients = String(await redis.client.client('LIST')).split('\n');
    for (const client of clients.filter((line) => line.includes('cmd=xread'))) {
      await redis.client.client('KILL', 'ID', Number(/id=(\d+)/.exec(client)?.[1]));
    }
    await withBearer(here, 'POST', '/logout', held);
    await until(async () => (await withBearer(there, 'GET', '/profile', held)).statusCode === 401);
    await there.revocations.caughtUp();
  }
  t.equal(there.revocations.size, 3);
});

t.test('sessions evicted by a store step are rejected everywhere too', async (t) => {
  await eachKind(t, async (t, place) => {
    const env = { MAX_SESSIONS: '2', REFRESH_WINDOW: '0' };
    const { here, there } = await twoNodes(t, place, env);
    const refused = (held: Parameters<typeof withBearer>[3]) => async () =>
      (await withBearer(there, 'GET', '/profile', held)).json().code === 'session_revoked';

    const stolen = await logIn(here, 'ann@example.com');
    const rotated = heldFrom(await refresh(here, stolen));
    t.equal((await refresh(here, stolen)).json().code, 'session_revoked', 'reuse');
    for (const held of [stolen, rotated]) {
      t.equal((await withBearer(here, 'GET', '/profile', held)).statusCode, 401);
      await until(refused(held));
    }

    const oldest = await logIn(here, 'ann@example.com');
    await place.age(1000);
    const kept = await logIn(here, 'ann@example.com');
    await logIn(here, 'ann@example.com');
    t.equal((await withBearer(here, 'GET', '/profile', oldest)).statusCode, 401, 'evicted');
    await until(refused(oldest));

    const planted = await logIn(here, 'bob@example.com');
    await logIn(here, 'ann@example.com', `${kept.cookie}; ${planted.cookie}`);
    for (const held of [kept, planted]) {
      t.equal((await withBearer(here, 'GET', '/profile', held)).statusCode, 401, 'presented at a login');
      t.equal((await refresh(here, held)).statusCode, 401);
      await until(refused(held));
    }
  });
});

t.test('a disabled user’s next refresh ends all the user’s sessions everywhere', async (t) => {
  await eachKind(t, async (t, place) => {
    const { here, there, directory } = await twoNodes(t, place);
    const phone = await logIn(here, 'ann@example.com');
    const laptop = await logIn(here, 'ann@example.com');
    await directory.setDisabled('ann@example.com', true);
    t.equal((await refresh(here, phone)).json().code, 'session_revoked');
    for (const held of [phone, laptop]) {
      await until(async () => (await withBearer(there, 'GET', '/profile', held)).statusCode === 401);
      t.equal((await refresh(there, held)).json().code, 'session_revoked');
    }
  });
});

t.test(
  'DELETE /refresh also ends a session by an older generation, immediately and without a reuse event',
  async (t) => {
    await eachKind(t, async (t, place) => {
      const { here, there } = await twoNodes(t, place);
      const first = await logIn(here, 'ann@example.com');
      const second = heldFrom(await refresh(here, first));
      const answer = await here.app.inject({
        method: 'DELETE',
        url: '/refresh',
        headers: { cookie: first.cookie },
      });
      t.equal(answer.statusCode, 204);
      t.match(answer.headers['set-cookie'], /^refreshToken=; Max-Age=0; Path=\/refresh;/);
      t.equal((await withBearer(here, 'GET', '/profile', second)).statusCode, 401);
      await until(async () => (await withBearer(there, 'GET', '/profile', second)).statusCode === 401);
      const metrics = (await here.admin.inject({ url: '/metrics' })).body;
      t.match(metrics, 'tollgate_audit_events_total{event="refresh_reuse_detected"} 0\n');
      t.match(metrics, 'tollgate_audit_events_total{event="logout"} 1\n');
    });
  },
);

// An end interrupted between the revocation entry, which every node reads, and the session step.

/** `ACCESS_TTL` plus one minute. */
const KEEP_MS = 61_000;

t.test('a session whose end was interrupted does not return when its revocation entry expires', async (t) => {
  await eachKind(t, async (t, { store, age, clock }) => {
    const directory = await userDirectory(t, ANN);
    const log: string[] = [];
    const node = await startNode(t, { store, directory, env, clock, onLine: (line) => log.push(line) });
    const sessions = openSessionStore(store);
    const ways = {
      'a refresh': refresh,
      'a logout asked for again': (from: typeof node, held: Parameters<typeof refresh>[1]) =>
        withBearer(from, 'POST', '/logout', held),
    };
    for (const [way, finish] of Object.entries(ways)) {
      const held = await logIn(node, ANN);
      const sid = await sessionIdOf(node, held);
      await openRevocationLog(store).append({ sids: [sid], keepMs: KEEP_MS });
      await until(async () => node.revocations.isRevoked(sid));
      t.equal((await sessions.list(1)).length, 1, 'it is half ended');

      log.splice(0);
      const answer = await finish(node, held);
      t.equal(answer.statusCode, 401, way);
      t.equal(answer.json().code, 'session_revoked');
      t.strictSame(await sessions.list(1), []);
      t.equal((await refresh(node, held)).statusCode, 401);
      const events = log.map((line) => JSON.parse(line)).filter(({ event }) => event !== undefined);
      t.match(events, [{ event: 'revoke', uid: 1, sid, reason: 'interrupted' }]);
      t.equal(events.length, 1, 'one event');

      await age(KEEP_MS + 1000);
      const fresh = await startNode(t, { store, directory, env, clock });
      t.equal(await fresh.revocations.isRevoked(sid), false, 'the entry is forgotten');
      t.equal((await refresh(fresh, held)).json().code, 'session_revoked');
    }
  });
});

t.test('a logout gets 503 from a Redis that hangs and stores the entry late', async (t) => {
  const { store, redis } = await redisStore(t);
  const directory = await userDirectory(t, ANN);
  const node = await startNode(t, { store, directory, env });
  const sessions = openSessionStore(store);
  const held = await logIn(node, ANN);
  const pid = Number(/process_id:(\d+)/.exec(await redis.client.info('server'))?.[1]);
  const hang = () => process.kill(pid, 'SIGSTOP');
  const goOn = () => process.kill(pid, 'SIGCONT');

  hang();
  const out = await node.app.inject({ method: 'DELETE', url: '/refresh', headers: { cookie: held.cookie } });
  t.equal(out.statusCode, 503);
  goOn();
  await until(() => node.revocations.size === 1);
  t.equal((await sessions.list(1)).length, 1, 'the session step was never sent');

  hang();
  t.equal(
    (await refresh(node, held)).json().code,
    'store_unavailable',
    'what cannot be finished is not refused',
  );
  goOn();
  await until(async () => (await refresh(node, held)).json().code === 'session_revoked');
  t.strictSame(await sessions.list(1), []);
});
