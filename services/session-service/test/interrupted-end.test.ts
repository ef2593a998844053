// A session end interrupted between the revocation entry, which every node reads, and the session step.

import { openRevocationLog } from '@tollgate/shared/sessions';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSessionStore } from '../src/stores/open-session-store.js';
import {
  logIn,
  refresh,
  sessionIdOf,
  startNode,
  until,
  userDirectory,
  withBearer,
} from './support/session-node.js';

const ANN = 'ann@example.com';
const env = { ACCESS_TTL: '1' };
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
