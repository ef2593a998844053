// The export and erasure of one person, on the admin port.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { accountPseudonym } from '@tollgate/shared/challenges';
import { SESSION_APPLICATION } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { openChallengeStore } from '@tollgate/shared/store';
import { eachKind, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import type { Directory } from '../../src/directory/directory.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { openAccountCounters } from '../../src/person/account-counters.js';
import { openKnownUsers } from '../../src/stores/known-users.js';
import {
  API_KEY,
  logIn,
  PUBLIC_URL,
  refresh,
  SECRETS,
  type SessionNode,
  startNode,
  withBearer,
} from '../support/session-node.js';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const AGENT = "Ann's browser";

const pseudonymOf = (email: string) =>
  accountPseudonym(openKeyRing(SECRETS.CHALLENGE_SECRET).current, SESSION_APPLICATION, email);

async function ask({ admin }: SessionNode, action: 'export' | 'erase', payload: object, key = API_KEY) {
  const answer = await admin.inject({
    method: 'POST',
    url: `/person/${action}`,
    headers: { authorization: `Bearer ${key}` },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() };
}

type Part = { part: string; items: unknown[]; erased: number };

/** The number of items, or of erased entries, by part; parts without any are left out. */
const counts = ({ body }: { body: { parts: Part[] } }) =>
  Object.fromEntries(
    body.parts
      .map(({ part, items, erased }): [string, number] => [part, items?.length ?? erased])
      .filter(([, count]) => count > 0),
  );

/** A node with two users, of whom the store has everything. */
async function usedNode(
  t: Test,
  { store }: StoreUnderTest,
  options: { ids?: readonly [string, string]; isForeign?: boolean } = {},
) {
  const folder = tempDir(t);
  const file = join(folder, 'users.db');
  const directory = openEmbeddedDirectory(file);
  t.teardown(() => directory.close());
  const [ann, bob] = options.ids ?? [];
  await directory.add(ANN, 'not looked at', ann);
  await directory.setClaims(ANN, { role: 'editor' });
  await directory.add(BOB, 'not looked at', bob);
  const auditPath = join(folder, 'audit.log');
  const lines: string[] = [];
  const { findByEmail, findById, health, close } = directory;
  const foreign: Directory = { findByEmail, findById, health, close };
  const node = await startNode(t, {
    store,
    directory: options.isForeign === true ? foreign : directory,
    env: { AUDIT_LOG: auditPath },
    onLine: (line) => lines.push(line),
  });
  const users = openKnownUsers(store, { keepMs: 60_000, userMs: 60_000 });
  const held = await use(t, node, ANN, ann ?? 1);
  const other = await use(t, node, BOB, bob ?? 2);
  for (const id of [ann ?? 1, bob ?? 2])
    await users.remember({ id, keyId: '0'.repeat(8), pseudonym: 'f'.repeat(32) }, undefined);
  // The stream of a node in a test goes to its log lines.
  writeFileSync(
    auditPath,
    lines
      .filter((line) => line.includes('"type":"audit"'))
      .map((line) => `${line.trim()}\n`)
      .join(''),
  );
  return { node, directory, folder, file, auditPath, held, other, lines };
}

/** Logs in rightly and wrongly, and leaves something in every place. */
async function use(t: Test, node: SessionNode, email: string, id: number | string) {
  const post = (url: string, payload: object, headers = {}) =>
    node.app.inject({ method: 'POST', url, headers: { 'user-agent': AGENT, ...headers }, payload });
  t.equal((await post('/login', { email, password: 'a wrong password' })).statusCode, 422);
  const ended = await logIn(node, email);
  await withBearer(node, 'POST', '/logout', ended);
  const held = await logIn(node, email);
  await node.admin.inject({
    method: 'DELETE',
    url: `/users/${id}/sessions/${'x'.repeat(22)}`,
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  const code = await node.admin.inject({
    method: 'POST',
    url: `/users/${id}/sign-in-codes`,
    headers: { authorization: `Bearer ${API_KEY}` },
    payload: { origin: PUBLIC_URL },
  });
  t.equal(code.statusCode, 200, code.body);
  t.equal((await post('/login', { email, password: 'a wrong password' })).statusCode, 422);
  return held;
}

/** All bytes of a store and of files, as one text. */
async function bytesOf({ store, redis }: StoreUnderTest, folder: string): Promise<string> {
  const files = (dir: string) =>
    readdirSync(dir).map((name) => readFileSync(join(dir, name)).toString('latin1'));
  if (store.kind === 'embedded') return [...files(folder), ...files(dirname(store.path))].join('\n');
  if (redis === undefined) throw new TypeError('a Redis has a client');
  const texts: string[] = [];
  for (const key of await redis.client.keys('*')) {
    const dump = await redis.client.dumpBuffer(key);
    texts.push(key, dump?.toString('latin1') ?? '');
    const type = await redis.client.type(key);
    if (type === 'hash') texts.push(JSON.stringify(await redis.client.hgetall(key)));
    if (type === 'list') texts.push(...(await redis.client.lrange(key, 0, -1)));
    if (type === 'string') texts.push((await redis.client.get(key)) ?? '');
  }
  return [...files(folder), ...texts].join('\n');
}

t.test('the export has everything of one person, with explanations, and nothing of others', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node } = await usedNode(t, place);
    const answer = await ask(node, 'export', { email: ' ANN@example.com' });
    t.equal(answer.status, 200);
    t.strictSame(answer.body.person, { id: 1, email: ANN, in_directory: true });
    const { audit_log: audited, ...stored } = counts(answer);
    t.strictSame(stored, {
      directory: 1,
      sessions: 1,
      ended_sessions: 1,
      sign_in_codes: 1,
      account_events: 4,
      failure_counters: 2,
      directory_check: 1,
    });
    t.ok((audited ?? 0) > 4);
    for (const { what, why, until } of answer.body.parts)
      for (const text of [what, why, until]) t.match(text, /\.$/);
    t.ok(answer.body.elsewhere.length >= 6);
    const text = JSON.stringify(answer.body);
    for (const other of [BOB, pseudonymOf(BOB), 'not looked at', SECRETS.CHALLENGE_SECRET])
      t.notOk(text.includes(other), other);
    t.match(text, /"claims":\{"role":"editor"\}/);
    const byId = await ask(node, 'export', { id: 1 });
    t.strictSame(byId.body.parts, answer.body.parts, 'by id the same');
    const nobody = await ask(node, 'export', { email: 'nobody@example.com' });
    t.strictSame([nobody.status, counts(nobody)], [200, {}]);
  });
});

t.test(
  'an erased person is in no byte of store, files and audit stream; others have lost nothing',
  async (t) => {
    await eachKind(t, async (t, place) => {
      const { node, folder, held, other, lines } = await usedNode(t, place, {
        ids: ['anna-text-id', 'bob-text-id'],
      });
      const before = await ask(node, 'export', { email: BOB });
      const exported = await ask(node, 'export', { email: ANN });
      const sid = exported.body.parts.find(({ part }: Part) => part === 'sessions').items[0].session;
      const named = [ANN, 'anna-text-id', pseudonymOf(ANN), sid];
      const full = await bytesOf(place, folder);
      for (const text of named) t.ok(full.includes(text), `${text} was stored`);

      const erasure = await ask(node, 'erase', { email: ANN });
      t.equal(erasure.status, 200);
      t.strictSame(erasure.body.person, { id: 'anna-text-id', email: ANN, in_directory: false });
      t.strictSame(counts(erasure), counts(exported), 'everything that was exported');
      const left = await bytesOf(place, folder);
      for (const text of named.slice(0, 3)) t.notOk(left.includes(text), `${text} is gone`);
      t.equal((await refresh(node, held)).statusCode, 401, 'the session has ended');
      t.equal((await withBearer(node, 'GET', '/verify', held)).statusCode, 401, 'its access token too');
      const event = lines.find((line) => line.includes('person_erased')) ?? '';
      t.match(event, /"sessions":1/);
      for (const text of [...named, 'uid', 'account'])
        t.notOk(event.includes(text), 'the event names nobody');

      t.strictSame(counts(await ask(node, 'export', { email: ANN })), {}, 'nothing is left to export');
      t.strictSame(counts(await ask(node, 'export', { id: 'anna-text-id' })), {});
      t.strictSame(counts(await ask(node, 'erase', { email: ANN })), {}, 'and nothing to erase again');
      t.equal((await refresh(node, other)).statusCode, 200, 'others stay logged in');
      const after = await ask(node, 'export', { email: BOB });
      t.strictSame(counts(after), counts(before));
    });
  },
);

t.test('the id of an erased user is never given to somebody else', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, directory } = await usedNode(t, place, { ids: ['anna-text-id', 'bob-text-id'] });
    await ask(node, 'erase', { id: 'anna-text-id' });
    t.equal(await directory.add('eve@example.com', 'hash', 'anna-text-id'), undefined);
    t.match(
      await directory.takenOf([{ id: 'anna-text-id', email: 'eve@example.com', hash: '' }]),
      new Map([[0, 'id']]),
    );
    t.match(
      await directory.add(ANN, 'hash', 'another-id'),
      { id: 'another-id' },
      'the address may come back',
    );
  });
});

t.test('a user who is deleted already is found by id, and by address', async (t) => {
  for (const by of [{ id: 1 }, { email: ANN }]) {
    await eachKind(t, async (t, place) => {
      const { node, directory, folder } = await usedNode(t, place);
      await directory.remove(ANN);
      const found = await ask(node, 'export', by);
      t.equal(found.body.person.id, 1);
      t.match(counts(found), { sessions: 1, ended_sessions: 1, account_events: 4, failure_counters: 2 });
      const erasure = await ask(node, 'erase', by);
      t.strictSame(counts(erasure), counts(found));
      const left = await bytesOf(place, folder);
      for (const text of [ANN, pseudonymOf(ANN)]) t.notOk(left.includes(text), text);
    });
  }
});

t.test('in a directory of another program the account stays, with what protects it', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, directory, held } = await usedNode(t, place, { isForeign: true });
    const erasure = await ask(node, 'erase', { email: ANN });
    t.equal(erasure.body.person.in_directory, true);
    t.match(erasure.body.elsewhere[0], { where: 'user directory', until: /delete it there/ });
    const { directory: account, failure_counters: counters, ...rest } = counts(erasure);
    t.strictSame([account, counters], [undefined, undefined]);
    t.match(rest, { sessions: 1, account_events: 4 });
    t.equal((await refresh(node, held)).statusCode, 401);
    t.strictSame(Object.keys(counts(await ask(node, 'export', { email: ANN }))).sort(), [
      'device_void',
      'directory',
      'failure_counters',
    ]);
    await directory.remove(ANN);
    t.strictSame(counts(await ask(node, 'erase', { id: 1 })), { device_void: 1 });
    t.strictSame(counts(await ask(node, 'erase', { email: ANN })), { failure_counters: 2 });
    t.strictSame(counts(await ask(node, 'export', { id: 1 })), {});
  });
});

t.test('an earlier or later user of the same address is not touched', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, directory } = await usedNode(t, place);
    await directory.rename(ANN, 'anna@example.com');
    await directory.add(ANN, 'not looked at');
    const held = await logIn(node, ANN);
    await ask(node, 'erase', { id: 1 });
    t.equal((await refresh(node, held)).statusCode, 200);
    const later = await ask(node, 'export', { email: ANN });
    t.equal(later.body.person.id, 3);
    const events = later.body.parts.find(({ part }: Part) => part === 'account_events').items;
    t.equal(events.filter(({ event }: { event: string }) => event === 'login').length, 1);
  });
});

t.test('counters of another application are included by its name', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node } = await usedNode(t, place);
    const shop = accountPseudonym(openKeyRing(SECRETS.CHALLENGE_SECRET).current, 'shop', ANN);
    const challenges = openChallengeStore(place.store, 'captcha');
    await challenges.countAttempt({ account: shop, claim: 'claim', decayMs: 60_000 });
    const counters = openAccountCounters(place.store, 'captcha');
    t.equal((await counters.read(new Set([shop]))).length, 1);
    await ask(node, 'erase', { email: ANN, applications: ['shop'] });
    t.strictSame(await counters.read(new Set([shop])), []);
  });
});

t.test(
  'a request needs the key and exactly one name; without a directory there is no document',
  async (t) => {
    await eachKind(t, async (t, place) => {
      const { node, directory } = await usedNode(t, place);
      for (const action of ['export', 'erase'] as const) {
        t.equal((await ask(node, action, { id: 1 }, 'a wrong key of more than 32 characters')).status, 401);
        for (const body of [{}, { id: 1, email: ANN }, { id: 0 }, { email: '' }, { id: 'a b' }, { uid: 1 }]) {
          const { status, body: answer } = await ask(node, action, body);
          t.strictSame([status, answer.code], [422, 'validation_failed'], JSON.stringify(body));
        }
      }
      t.match(counts(await ask(node, 'export', { id: 1 })), { sessions: 1 }, 'nothing was erased');
      await directory.close();
      for (const action of ['export', 'erase'] as const)
        t.strictSame((await ask(node, action, { id: 1 })).body.code, 'store_unavailable');
    });
  },
);
