// Session rate limits: an office behind one address, a copied cookie, floods of rejected requests, and signatures.

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { newDevice, registration } from '@tollgate/test-support/device-key.js';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { ADDRESS_FACTOR } from '../src/plugins/session-limit.js';
import { newClient, nonceOf, registrationChallenge } from './support/binding-client.js';
import { loginProof, proof } from './support/device-key.js';
import {
  type Held,
  logIn,
  PASSWORD,
  refresh,
  type SessionNode,
  startNode,
  userDirectory,
  withBearer,
} from './support/session-node.js';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const PEOPLE = 500;

async function openNode(t: Test, env: Record<string, string>, ...emails: string[]): Promise<SessionNode> {
  const { store } = embeddedStore(t);
  return startNode(t, { store, directory: await userDirectory(t, ...emails), env });
}

/** A refresh from an address. */
const refreshFrom = ({ app }: SessionNode, remoteAddress: string, cookie?: string) =>
  app.inject({
    method: 'POST',
    url: '/refresh',
    remoteAddress,
    headers: cookie === undefined ? {} : { cookie },
  });

/** Counts later calls of a `node:crypto` function. */
function countCalls(t: Test, name: 'verify' | 'createDecipheriv'): () => number {
  const functions = crypto as unknown as Record<string, (...args: unknown[]) => unknown>;
  const original = functions[name] as (...args: unknown[]) => unknown;
  let calls = 0;
  functions[name] = (...args) => {
    calls += 1;
    return original(...args);
  };
  syncBuiltinESMExports();
  t.teardown(() => {
    functions[name] = original;
    syncBuiltinESMExports();
  });
  return () => calls;
}

t.test(`${PEOPLE} people behind one address open a page in one minute: none is rejected`, async (t) => {
  const emails = Array.from({ length: PEOPLE }, (_, at) => `user${at}@example.com`);
  const node = await openNode(t, { RATE_LIMIT_REFRESH: '60', RATE_LIMIT_SESSION: '300' }, ...emails);
  const outcomes: Record<string, number> = {};
  const count = (what: string, statusCode: number) => {
    outcomes[`${what} ${statusCode}`] = (outcomes[`${what} ${statusCode}`] ?? 0) + 1;
  };
  const sessions: Held[] = [];
  for (const email of emails) sessions.push(await logIn(node, email));
  for (const held of sessions) {
    const answer = await refresh(node, held);
    count('refresh', answer.statusCode);
    const renewed = { ...held, accessToken: answer.json().accessToken };
    count('profile', (await withBearer(node, 'GET', '/profile', renewed)).statusCode);
    count('sessions', (await withBearer(node, 'GET', '/sessions', renewed)).statusCode);
  }
  for (const { cookie } of sessions) {
    const ended = await node.app.inject({ method: 'DELETE', url: '/refresh', headers: { cookie } });
    count('logout', ended.statusCode);
  }
  t.strictSame(outcomes, {
    'refresh 200': PEOPLE,
    'profile 200': PEOPLE,
    'sessions 200': PEOPLE,
    'logout 204': PEOPLE,
  });
});

t.test(
  'no request is rejected from an office whose sessions are bound to keys, or have expired',
  async (t) => {
    const people = 150;
    const emails = Array.from({ length: people }, (_, at) => `user${at}@example.com`);
    const place = embeddedStore(t);
    const directory = await userDirectory(t, ...emails);
    const env = { RATE_LIMIT_REFRESH: '60' };
    const node = await startNode(t, { store: place.store, directory, env, clock: place.clock });
    const outcomes = new Map<string, number>();
    for (const email of emails) {
      const [device, client] = [newDevice(), newClient(node)];
      await client.logIn(email, { 'refresh-proof': loginProof(device) });
      // Only this response tells a page of another origin that a proof is required.
      const asked = await client.refresh();
      const answer = await client.refresh({ 'refresh-proof': proof(device, nonceOf(asked)) });
      const nobody = await refreshFrom(node, '127.0.0.1');
      const outcome = [asked, answer, nobody].map(({ statusCode }) => statusCode).join(' ');
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    t.strictSame([...outcomes], [['401 200 401', people]]);
  },
);

t.test("a copied cookie uses up none of its owner's limits", async (t) => {
  const node = await openNode(t, { RATE_LIMIT_REFRESH: '5' }, ANN, BOB);
  const { cookie } = await logIn(node, ANN);
  const { cookie: other } = await logIn(node, BOB);
  const thief = [];
  for (let n = 0; n < 8; n++) thief.push((await refreshFrom(node, '198.51.100.9', cookie)).statusCode);
  t.strictSame(thief, [200, 200, 200, 200, 200, 429, 429, 429]);
  const owner = await refreshFrom(node, '203.0.113.7', cookie);
  t.match(owner, { statusCode: 200, headers: { 'ratelimit-limit': '5', 'ratelimit-remaining': '4' } });
  t.equal((await refreshFrom(node, '198.51.100.9', other)).statusCode, 200, 'nor does the address');
});

t.test('rejected refreshes count for their address, and do not lock out valid ones', async (t) => {
  const node = await openNode(t, { RATE_LIMIT_REFRESH: '5' }, ANN, BOB);
  const { cookie } = await logIn(node, ANN);
  const ended = await logIn(node, BOB);
  await withBearer(node, 'POST', '/logout', ended);
  const address = '198.51.100.9';
  const sent = ['refreshToken=forged', ended.cookie, 'refreshToken=x', ended.cookie, 'refreshToken=forged'];
  for (const each of sent) t.equal((await refreshFrom(node, address, each)).statusCode, 401);
  const limited = await refreshFrom(node, address, 'refreshToken=forged');
  t.match(limited, { statusCode: 429, headers: { 'retry-after': /^\d+$/, 'ratelimit-remaining': '0' } });
  t.equal((await refreshFrom(node, address, cookie)).statusCode, 200);
  t.equal((await refreshFrom(node, address)).statusCode, 401, 'no cookie is no rejected one');
  t.equal((await refreshFrom(node, '203.0.113.7', 'refreshToken=forged')).statusCode, 401);
});

t.test(
  'a conflict counts for its address, and beyond the limit its duplicates are expired too',
  async (t) => {
    const node = await openNode(t, { RATE_LIMIT_REFRESH: '2' }, ANN, BOB);
    const both = [await logIn(node, ANN), await logIn(node, BOB)].map(({ cookie }) => cookie).join('; ');
    const TWIN = /^refreshToken=; Max-Age=0/;
    const [conflict, junk, limited] = [
      await refreshFrom(node, '198.51.100.1', both),
      await refreshFrom(node, '198.51.100.1', 'refreshToken=forged'),
      await refreshFrom(node, '198.51.100.1', both),
    ];
    t.match(conflict, { statusCode: 401, headers: { 'set-cookie': [TWIN] } });
    t.equal(junk.statusCode, 401);
    t.match(limited, { statusCode: 429, headers: { 'set-cookie': [TWIN] } });
  },
);

t.test('an address may send fifty times the limit in total, with any kind of request', async (t) => {
  const node = await openNode(t, { RATE_LIMIT_REFRESH: '1', RATE_LIMIT_SESSION: '1' }, ANN);
  const held = await logIn(node, ANN);
  for (let n = 0; n < ADDRESS_FACTOR; n++) await refreshFrom(node, '198.51.100.9');
  t.equal((await refreshFrom(node, '198.51.100.9', held.cookie)).statusCode, 429);
  t.equal((await refreshFrom(node, '203.0.113.7', held.cookie)).statusCode, 200);
  const profile = (authorization: string) =>
    node.app.inject({ url: '/profile', headers: { authorization }, remoteAddress: '198.51.100.9' });
  for (let n = 0; n < ADDRESS_FACTOR; n++) await profile('Bearer forged');
  t.equal((await profile(`Bearer ${held.accessToken}`)).statusCode, 429);
});

t.test('none of more than eight refresh cookies is decrypted', async (t) => {
  const node = await openNode(t, {}, ANN);
  const { cookie } = await logIn(node, ANN);
  const calls = countCalls(t, 'createDecipheriv');
  const flood = await refreshFrom(node, '127.0.0.1', Array(40).fill(cookie).join('; '));
  t.match(flood, { statusCode: 401, headers: { 'set-cookie': [/^refreshToken=; Max-Age=0/] } });
  t.equal(flood.json().code, 'cookie_conflict');
  t.equal(calls(), 0);
  t.equal((await refreshFrom(node, '127.0.0.1', Array(8).fill(cookie).join('; '))).statusCode, 200);
  t.equal(calls(), 8);
});

t.test("a flood of cookies is decrypted only by a logout, which ends the owner's session", async (t) => {
  const node = await openNode(t, {}, ANN);
  const { cookie } = await logIn(node, ANN);
  const headers = { cookie: Array(40).fill(cookie).join('; ') };
  const calls = countCalls(t, 'createDecipheriv');
  for (const url of ['/refresh/bind', '/refresh/renew'])
    await node.app.inject({ method: 'POST', url, headers });
  t.equal(calls(), 0);
  t.equal((await node.app.inject({ method: 'DELETE', url: '/refresh', headers })).statusCode, 204);
  t.match(await refreshFrom(node, '127.0.0.1', cookie), { statusCode: 401 });
});

t.test("a login verifies a proof's signature only within its limit", async (t) => {
  const node = await openNode(t, { RATE_LIMIT_LOGIN: '5' }, ANN);
  const calls = countCalls(t, 'verify');
  const statuses = [];
  for (let n = 0; n < 40; n++) {
    const headers = { 'refresh-proof': `${loginProof(newDevice()).slice(0, -8)}AAAAAAAA` };
    const payload = { email: ANN, password: PASSWORD };
    statuses.push((await node.app.inject({ method: 'POST', url: '/login', headers, payload })).statusCode);
  }
  t.strictSame(statuses, [...Array(5).fill(422), ...Array(35).fill(429)]);
  t.equal(calls(), 5);
});

t.test('a key registration verifies a signature only within its limit', async (t) => {
  const node = await openNode(t, { RATE_LIMIT_REFRESH: '5' }, ANN);
  const client = newClient(node);
  const started = await client.logIn(ANN);
  const calls = countCalls(t, 'verify');
  const statuses = new Set<number>();
  for (let n = 0; n < 40; n++) {
    const jwt = `${registration(newDevice(), registrationChallenge(started)).slice(0, -8)}AAAAAAAA`;
    const answer = await client.send('POST', '/refresh/bind', { 'secure-session-response': jwt });
    statuses.add(answer.statusCode);
  }
  t.ok(statuses.has(503) && !statuses.has(200), [...statuses].join());
  t.equal(calls(), 5);
});
