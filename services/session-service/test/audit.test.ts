// Every security event is written to the audit stream once and counted in the metrics once.

import { TypeCompiler } from '@sinclair/typebox/compiler';
import { accountPseudonym } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { AuditEvents, type AuditLine, auditNamesOf } from '@tollgate/shared/schemas';
import { eachKind, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { openSessionStore } from '../src/stores/open-session-store.js';
import {
  API_KEY,
  heldFrom,
  logIn,
  PASSWORD,
  refresh,
  SECRETS,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from './support/session-node.js';

const ANN = 'ann@example.com';
const NOBODY = 'nobody@example.com';
const ADDRESS = /^[0-9a-f]{32}$/;

/** The account behind a keyed name; undefined for none, the keyed name itself for unknown accounts. */
function nameOf(account: unknown): unknown {
  const key = openKeyRing(SECRETS.CHALLENGE_SECRET).current;
  return (
    [ANN, 'bob@example.com', NOBODY].find((email) => accountPseudonym(key, 'login', email) === account) ??
    account
  );
}

/** A node whose audit events are collected. */
async function auditedNode(t: Test, { store, clock }: StoreUnderTest, env = {}) {
  const log: string[] = [];
  const directory = await userDirectory(t, ANN, 'bob@example.com');
  const node = await startNode(t, { store, directory, env, clock, onLine: (line) => log.push(line) });
  /** The events since the last call, as written, but without the keyed address that each must have. */
  const events = () => {
    const found = log.splice(0).map((line) => JSON.parse(line));
    return found
      .filter(({ type }) => type === 'audit')
      .map((line: AuditLine) => {
        t.ok(TypeCompiler.Compile(AuditEvents[line.event]).Check(line), `${line.event} has its shape`);
        const { event, uid, sid, reason, account, address, request } = line as Partial<
          Record<string, unknown>
        >;
        t.match(address, ADDRESS);
        t.match(request, /^req-/);
        const about = Object.entries({ uid, sid, reason, account: nameOf(account) });
        return { event, ...Object.fromEntries(about.filter(([, value]) => value !== undefined)) };
      });
  };
  const counted = async () => {
    const { body } = await node.admin.inject({ url: '/metrics' });
    return Object.fromEntries(
      auditNamesOf('session-service').map((event) => [
        event,
        Number(new RegExp(`tollgate_audit_events_total\\{event="${event}"\\} (\\d+)`).exec(body)?.[1]),
      ]),
    );
  };
  return { node, directory, log, events, counted };
}

t.test('a successful, a failed and a throttled login', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, events, counted } = await auditedNode(t, place);
    const held = await logIn(node, ANN);
    const sid = await sessionIdOf(node, held);
    t.strictSame(events(), [{ event: 'login', uid: 1, sid, account: ANN }]);
    const fail = async (email: string) => {
      const payload = { email, password: 'a wrong password' };
      return (await node.app.inject({ method: 'POST', url: '/login', payload })).json().code;
    };
    for (let times = 0; times < 5; times++) t.equal(await fail(ANN), 'login_failed');
    t.strictSame(events(), Array(5).fill({ event: 'login_failed', account: ANN }), 'a keyed name alone');
    t.equal(await fail(ANN), 'login_throttled');
    t.strictSame(events(), [{ event: 'login_throttled', account: ANN }]);
    t.equal(await fail(NOBODY), 'login_failed');
    t.strictSame(events(), [{ event: 'login_failed', account: NOBODY }], 'whether it exists or not');
    t.match(await counted(), { login: 1, login_failed: 6, login_throttled: 1, revoke: 0, logout: 0 });
  });
});

t.test('reuse, and a store that lost a write', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, events, counted } = await auditedNode(t, place, { REFRESH_WINDOW: '0' });
    const stolen = await logIn(node, ANN);
    const sid = await sessionIdOf(node, stolen);
    await refresh(node, stolen);
    events();
    await refresh(node, stolen);
    t.strictSame(events(), [{ event: 'refresh_reuse_detected', uid: 1, sid }]);
    await refresh(node, stolen);
    t.strictSame(events(), [], 'once');

    const held = await logIn(node, ANN);
    const claims = { sub: '1', email: ANN, sid: await sessionIdOf(node, held), gen: 9 };
    const seconds = Math.floor(Date.now() / 1000);
    const newer = node.app.tokens.refresh.issue({ ...claims, iat: seconds, exp: seconds + 900 });
    events();
    const answer = await refresh(node, { ...held, cookie: `refreshToken=${newer}` });
    t.equal(answer.statusCode, 200);
    t.strictSame(events(), [{ event: 'state_rollback', uid: 1, sid: claims.sid }]);
    t.match(await counted(), { refresh_reuse_detected: 1, state_rollback: 1, revoke: 0 });
  });
});

t.test('logouts and every kind of revocation, with the reason', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, directory, events, counted } = await auditedNode(t, place, { MAX_SESSIONS: '3' });
    const start = async () => {
      await place.age(1000);
      const held = await logIn(node, ANN);
      const sid = await sessionIdOf(node, held);
      events();
      return { held, sid };
    };
    const one = await start();
    await withBearer(node, 'POST', '/logout', one.held);
    t.strictSame(events(), [{ event: 'logout', uid: 1, sid: one.sid }]);
    const two = await start();
    await node.app.inject({ method: 'DELETE', url: '/refresh', headers: { cookie: two.held.cookie } });
    t.strictSame(events(), [{ event: 'logout', uid: 1, sid: two.sid }]);

    const revoked = (sid: string, reason: string) => ({ event: 'revoke', uid: 1, sid, reason });
    const [three, four, five] = [await start(), await start(), await start()];
    await withBearer(node, 'DELETE', `/sessions/${three.sid}`, five.held);
    t.strictSame(events(), [revoked(three.sid, 'revoked')]);
    await withBearer(node, 'DELETE', '/sessions', five.held);
    t.strictSame(events(), [revoked(four.sid, 'others_revoked')]);
    await logIn(node, ANN, five.held.cookie);
    t.match(events(), [revoked(five.sid, 'login'), { event: 'login' }]);

    const [oldest] = [await start(), await start()];
    await logIn(node, 'bob@example.com', oldest.held.cookie);
    t.match(events(), [revoked(oldest.sid, 'login'), { event: 'login', uid: 2 }]);
    const [six] = [await start(), await place.age(1000)];
    t.match(six.sid, /^\w{22}$/);
    await logIn(node, ANN);
    const evicted = events();
    t.match(evicted, [{ event: 'revoke', uid: 1, reason: 'evicted' }, { event: 'login' }]);

    const authorization = `Bearer ${API_KEY}`;
    await node.admin.inject({ method: 'DELETE', url: '/users/1/sessions', headers: { authorization } });
    t.match(events(), Array(3).fill({ event: 'revoke', uid: 1, reason: 'admin' }));
    const last = await start();
    await directory.setDisabled(ANN, true);
    await refresh(node, last.held);
    t.strictSame(events(), [revoked(last.sid, 'user_gone')]);
    t.match(await counted(), { logout: 2, revoke: 9, refresh_reuse_detected: 0 });
  });
});

t.test('a session that no longer exists is not ended again', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, events, counted } = await auditedNode(t, place);
    const [ann, bob] = [await logIn(node, ANN), await logIn(node, 'bob@example.com')];
    for (const { cookie } of [ann, bob]) {
      await node.app.inject({ method: 'DELETE', url: '/refresh', headers: { cookie } });
      await node.app.inject({ method: 'DELETE', url: '/refresh', headers: { cookie } });
    }
    t.match(events(), [
      ...[{ event: 'login' }, { event: 'login' }],
      ...[
        { event: 'logout', uid: 1 },
        { event: 'logout', uid: 2 },
      ],
    ]);
    const held = await logIn(node, ANN, `${ann.cookie}; ${bob.cookie}`);
    const sid = await sessionIdOf(node, held);
    t.strictSame(events(), [{ event: 'login', uid: 1, sid, account: ANN }]);

    // As after a failover that lost the session: the bearer is valid, but no session remains to end.
    await openSessionStore(place.store).end({ uid: 1, sid });
    t.equal((await withBearer(node, 'POST', '/logout', held)).statusCode, 204);
    t.strictSame(events(), []);
    t.match(await counted(), { login: 3, logout: 2, revoke: 0 });
  });
});

t.test('no event contains a secret, a cookie or an email address', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, log } = await auditedNode(t, place, { REFRESH_WINDOW: '0' });
    const held = await logIn(node, ANN);
    const next = heldFrom(await refresh(node, held));
    await refresh(node, held);
    t.match(log.join(''), 'refresh_reuse_detected');
    const cookies = [held, next].map(({ cookie }) => cookie.slice('refreshToken='.length));
    for (const secret of [
      ...Object.values(SECRETS),
      ...cookies,
      held.accessToken,
      PASSWORD,
      ANN,
      '127.0.0.1',
    ])
      t.notMatch(log.join(''), secret);
  });
});
