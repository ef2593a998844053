// The result for a session past its maximum lifetime, without any record in the store.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSessionStore } from '../src/stores/open-session-store.js';
import { heldFrom, logIn, refresh, startNode, userDirectory, withBearer } from './support/session-node.js';

const ANN = 'ann@example.com';
const SESSION = { uid: 1, sid: 'a'.repeat(22) };
const RULES = {
  windowMs: 0,
  recoveries: 4,
  refreshTtlMs: 60_000,
  notRememberedTtlMs: 60_000,
  maxAgeMs: 90_000,
  maxSessions: 50,
};

t.test('a user’s only session beyond its maximum age is expired, not revoked', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const sessions = openSessionStore(store);
    const started = await sessions.start({ ...SESSION, userAgent: 'test' }, RULES);
    const expiresAtMs = started.nowMs + RULES.refreshTtlMs;
    const ask = (ms: number) => sessions.rotate({ ...SESSION, generation: 1, expiresAtMs: ms }, RULES);
    await age(RULES.maxAgeMs + 1);
    // Ageing changes the times in Redis, but not in the token.
    const isOver = store.kind === 'redis' ? expiresAtMs - RULES.maxAgeMs - 1 : expiresAtMs;
    t.strictSame(await ask(isOver), { outcome: 'expired' });
    t.strictSame(await ask(isOver), { outcome: 'expired' }, 'nor is anything kept that would tell it');
    t.strictSame(await ask(isOver + 600_000), { outcome: 'revoked' }, 'a token that lives on was ended');
  });
});

t.test('a refresh after SESSION_MAX_AGE is expired, one after a logout is revoked', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const env = { SESSION_MAX_AGE: '1', ACCESS_TTL: '1' };
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory, env });
    const held = await logIn(node, ANN);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const answer = await refresh(node, held);
    t.match([answer.statusCode, answer.json().code], [401, 'session_expired']);

    const lasting = await startNode(t, { store, directory });
    const ended = heldFrom(await refresh(lasting, await logIn(lasting, ANN)));
    await withBearer(lasting, 'POST', '/logout', ended);
    t.equal((await refresh(lasting, ended)).json().code, 'session_revoked');
  });
});
