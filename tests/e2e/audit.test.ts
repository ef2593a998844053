// Every event in the audit stream: each documented one is written, in its format, and none contains a secret.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parseSessionSet } from '@tollgate/session-service/domain/session-set.js';
import { accountPseudonym, makePass, passHash } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { AuditEvents, type AuditLine } from '@tollgate/shared/schemas';
import { userSessionsKey } from '@tollgate/shared/sessions';
import { openChallengeStore, openLoadRecord, openStore, waitForStores } from '@tollgate/shared/store';
import { newDevice, refreshProof } from '@tollgate/test-support/device-key.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { SITE, visitSite } from '../monitoring/site-traffic.js';
import { startServiceHere } from '../system/services-here.js';
import { connectTo } from './client.js';
import { Secrets } from './secrets.js';
import { CHEAP, onRedis, onStore, type Site, type StoreKind, type User } from './site.js';

const API_KEY = 'the-key-of-the-other-services-0123456789';
const HOST_KEY = 'the-key-of-the-default-host-0123456789';

for (const kind of ['embedded', 'redis'] as const) {
  t.test(`every event on ${kind}`, (t) => wholeLife(t, kind));
}

async function wholeLife(t: Test, kind: StoreKind): Promise<void> {
  const folder = tempDir(t);
  const path = join(folder, 'audit.log');
  const environment = {
    ...CHEAP,
    AUDIT_LOG: path,
    CAPTCHA_ESCALATION_AFTER: '100',
    REFRESH_WINDOW: '0',
    SESSION_API_KEY: API_KEY,
    HOST_API_KEY: HOST_KEY,
    ...SITE,
  };
  const run = async (t: Test, site: Site) => {
    site.secrets.note(API_KEY, HOST_KEY);
    await live(t, site, path);
    const text = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    const all: (AuditLine & { erased?: true })[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const lines = all.filter(({ erased }) => erased === undefined);
    t.match(
      all.filter(({ erased }) => erased === true),
      [{ event: 'login', uid: undefined, account: undefined, address: undefined }],
      'the only event of the erased person names nobody',
    );
    for (const line of lines) {
      t.ok(TypeCompiler.Compile(AuditEvents[line.event]).Check(line), JSON.stringify(line));
    }
    t.strictSame(
      [...new Set(lines.map(({ event }) => event))].sort(),
      Object.keys(AuditEvents).sort(),
      'every documented event was written, and no other',
    );
    t.strictSame(
      [...new Set(lines.flatMap((line) => (line.event === 'challenge_refused' ? [line.reason] : [])))].sort(),
      ['spent', 'unknown', 'wrong'],
    );
    t.ok(
      lines.some((line) => line.event === 'challenge_refused' && line.address !== undefined),
      'a refused challenge has the pseudonym of the address',
    );
    t.strictSame(site.secrets.leaksIn(text), [], 'the stream contains no secret of the run');
    t.notMatch(text, /127\.0\.0\.1|198\.18\.|@/, 'nor an address or an e-mail');
    t.notMatch(await site.logs(), '"type":"audit"', 'with a file the log has no events');
  };
  if (kind === 'redis') await onRedis(t, environment, run);
  else await onStore(t, kind, environment, run);
}

/** Makes every event happen; the stream is rotated, and its disk is full for a while. */
async function live(t: Test, site: Site, path: string): Promise<void> {
  const { gateway, sessionAdmin, challengeAdmin } = site;
  const user = await site.newUser();
  const wrong = { email: user.email, password: 'a wrong password' };
  const stranger = { email: site.newEmail(), password: 'a wrong password' };

  const { cookie } = await site.logIn(user);
  const second = await site.refresh(cookie);
  t.equal((await site.refresh(cookie)).json.code, 'session_revoked', 'an old cookie');
  t.equal(second.status, 200);
  await rollBack(t, site, user.id);
  await failBinding(t, site, user);
  await raisePrice(t, site);
  await presentPasses(t, site);
  await visitSite(site);
  const forged = { pow_token: 'A'.repeat(40), pow_nonce: '1' };
  const page = { body: forged, headers: { origin: 'https://shop.example' } };
  t.equal((await gateway.post('/api/captcha/sites/shop/redeem', page)).json.code, 'pow_invalid');

  const ip = site.newAddress();
  for (const account of [wrong, stranger]) {
    for (let times = 0; times < 5; times++) {
      t.equal((await site.tryLogIn(account, { ip })).json.code, 'login_failed');
    }
    t.equal((await site.tryLogIn(account, { ip })).json.code, 'login_throttled');
  }

  const other = await site.newUser();
  const work = await site.work();
  t.equal((await gateway.post('/login', { body: { ...other, ...work } })).status, 200);
  t.equal(
    (await gateway.post('/login', { body: { ...other, ...work } })).json.code,
    'pow_invalid',
    'used twice',
  );
  const unknown = { ...work, pow_token: 'A'.repeat(40) };
  t.equal((await gateway.post('/login', { body: { ...other, ...unknown } })).json.code, 'pow_invalid');
  const image = { ...(await site.image()), captcha: 'WRONG' };
  const verify = await challengeAdmin.post('/host/verify', {
    body: { ...(await site.work()), ...image, key: 'a key of a host', ip },
    headers: { authorization: `Bearer ${HOST_KEY}` },
  });
  t.equal(verify.json.code, 'captcha_invalid');

  renameSync(path, `${path}.1`);
  const ended = await site.logIn(user);
  await gateway.delete('/refresh', { headers: { cookie: ended.cookie } });
  t.ok(existsSync(path), 'the stream follows a rotation');

  const asked = {
    body: { origin: site.system.address, amr: ['otp'] },
    headers: { authorization: `Bearer ${API_KEY}` },
  };
  const { code } = (await sessionAdmin.post(`/users/${user.id}/sign-in-codes`, asked)).json;
  site.secrets.note(code);
  const exchanged = { body: { code }, headers: { origin: site.system.address } };
  t.equal((await gateway.post('/login/code', exchanged)).status, 200);
  t.equal((await gateway.post('/login/code', exchanged)).json.code, 'code_invalid');

  const { accessToken } = await site.logIn(user);
  const again = await gateway.post('/reauthenticate', {
    body: { password: user.password, ...(await site.work()) },
    headers: { authorization: `Bearer ${accessToken}` },
  });
  t.equal(again.status, 200);
  const changed = await gateway.post('/password', {
    body: { old_password: user.password, new_password: user.password, ...(await site.work()) },
    headers: { authorization: `Bearer ${accessToken}` },
  });
  t.equal(changed.status, 204);
  await sessionAdmin.delete(`/users/${user.id}/sessions`, {
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  const left = await site.newUser();
  await site.logIn(left);
  const erased = await sessionAdmin.post('/person/erase', {
    body: { email: left.email },
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  t.match(erased.json.parts, [{ part: 'directory' }, { part: 'sessions', erased: 1 }]);
  for (let times = 0; times < 310; times++) {
    const headers = { authorization: 'Bearer wrong' };
    t.equal((await sessionAdmin.post('/introspect', { headers })).status, 401);
  }
  t.equal((await challengeAdmin.post('/host/verify', { body: {} })).status, 401);

  renameSync(path, `${path}.2`);
  symlinkSync('/dev/full', path);
  t.equal((await site.tryLogIn(user)).status, 200, 'a full disk prevents no login');
  t.match(await site.logs(), 'security events cannot be written');
  t.match((await sessionAdmin.get('/metrics')).text, 'tollgate_audit_lost_total 1\n');
  rmSync(path);
  t.equal((await site.tryLogIn(user)).status, 200);
  // Summaries of suppressed events come at the end of the minute or of the process.
  await site.restart('session-service');
}

/** Binds a session, refreshes it without its key, and with another key. */
async function failBinding(t: Test, site: Site, user: User): Promise<void> {
  const proof = (path: string, nonce?: string) =>
    refreshProof(newDevice(), `${site.system.address}${path}`, nonce);
  const headers = { 'refresh-proof': proof('/login') };
  const { cookie, answer } = await site.logIn(user, { headers });
  t.equal((await site.refresh(cookie)).json.code, 'binding_required');
  const other = { 'refresh-proof': proof('/refresh', String(answer.headers['refresh-nonce'])) };
  t.equal((await site.refresh(cookie, { headers: other })).json.code, 'session_revoked');
}

/** Raises the price of work manually and ends that; the running services follow both. */
async function raisePrice(t: Test, site: Site): Promise<void> {
  const store = await openSiteStore(site);
  const record = openLoadRecord(store, 'captcha');
  const price = async () => (await site.gateway.get('/api/captcha/pow')).json.difficulty;
  t.equal(await price(), 1);
  await record.raise(3, 600_000);
  await until(async () => (await price()) === 4, 'the price to rise');
  t.match((await site.challengeAdmin.get('/metrics')).text, 'tollgate_price_raised_bits{by="hand"} 3\n');
  await record.raise(0, 0);
  await until(async () => (await price()) === 1, 'the price to fall');
  await store.close();
}

/** Presents a pass to the host API before and after its creation. */
async function presentPasses(t: Test, site: Site): Promise<void> {
  const pass = makePass('uptime');
  site.secrets.note(pass);
  const present = async () => {
    const headers = { authorization: `Bearer ${HOST_KEY}` };
    return (await site.challengeAdmin.post('/host/verify', { body: { captcha_pass: pass }, headers })).json;
  };
  t.match(await present(), { code: 'pass_invalid' });
  const store = await openSiteStore(site);
  const made = {
    name: 'uptime',
    application: 'default',
    hash: passHash(pass),
    perMinute: 9,
    lifetimeMs: 60_000,
  };
  await openChallengeStore(store, 'captcha').makePass(made);
  await store.close();
  t.match(await present(), { success: true });
}

/** The store of both services, opened as by another process; it takes commands. */
async function openSiteStore(site: Site) {
  const store = openStore(site.redis?.url ?? `file:${join(site.system.logFolder, '..', 'tollgate.db')}`, '/');
  await waitForStores([store]);
  return store;
}

/** Resets a session to the previous generation, like a failover with a lost write, and refreshes it. */
async function rollBack(t: Test, site: Site, uid: number): Promise<void> {
  const { cookie } = await site.logIn({ ...(await accountOf(site, uid)), id: uid });
  const store = await openSiteStore(site);
  const key = userSessionsKey(uid);
  const read = async () =>
    store.kind === 'redis' ? await site.redis?.client.hgetall(key) : await store.read(key);
  const before = await read();
  const next = await site.refresh(cookie);
  if (store.kind === 'redis') await site.redis?.client.hset(key, before as Record<string, string>);
  else {
    await store.transact((step) => step.put(key, before as string, step.expiryOf(key) ?? 0));
    t.ok(parseSessionSet(before as string).size > 0);
  }
  await store.close();
  const rolled = await site.refresh(next.cookies[0]?.split(';')[0] ?? '');
  t.equal(rolled.status, 200);
}

async function accountOf(site: Site, uid: number) {
  const user = await site.directory.findById(uid);
  if (user === undefined) throw new Error('unknown user');
  return { email: user.email, password: 'correct horse battery staple' };
}

t.test('no level hides the stream, and an attack on an account names it, keyed', async (t) => {
  for (const level of ['warn', 'silent']) {
    const system = await startSystem({
      startService: startServiceHere,
      environment: {
        ...CHEAP,
        LOG_LEVEL: level,
        DATA_DIR: tempDir(t),
        GATEWAY_PORT: '0',
        SESSION_PORT: '0',
        SESSION_ADMIN_PORT: '0',
        CHALLENGE_PORT: '0',
        CHALLENGE_ADMIN_PORT: '0',
        CAPTCHA_POW_ENABLED: 'false',
      },
    });
    t.teardown(() => system.stop());
    const gateway = connectTo(system.address, new Secrets());
    t.teardown(() => gateway.close());
    const emails = [system.demo?.email ?? '', 'Nobody@example.com'];
    for (const email of emails) {
      const answer = await gateway.post('/login', { body: { email, password: 'a wrong password' } });
      t.equal(answer.json.code, 'login_failed');
    }
    const key = openKeyRing(system.secrets.CHALLENGE_SECRET).current;
    const failures = () =>
      system
        .logs()
        .split('\n')
        .filter((line) => line.includes('"event":"login_failed"'))
        .map((line) => JSON.parse(line).account);
    const endMs = performance.now() + 20_000;
    while (failures().length < 2 && performance.now() < endMs) await sleep(5);
    t.strictSame(
      failures(),
      emails.map((email) => accountPseudonym(key, 'login', email.toLowerCase())),
      'existing and unknown ones alike',
    );
    t.equal(system.logs().match(/"event":"service_started"/g)?.length, 2, 'both services log their start');
    t.notMatch(system.logs(), '"level"', 'and the log follows its level');
  }
});

t.test('an audit stream that cannot be opened stops both services with one line', async (t) => {
  const folder = tempDir(t);
  mkdirSync(join(folder, 'folder'));
  const path = join(folder, 'folder');
  await t.rejects(
    startSystem({
      environment: {
        DATA_DIR: folder,
        AUDIT_LOG: path,
        GATEWAY_PORT: '0',
        SESSION_PORT: '0',
        SESSION_ADMIN_PORT: '0',
        CHALLENGE_PORT: '0',
        CHALLENGE_ADMIN_PORT: '0',
      },
    }),
    { message: new RegExp(`AUDIT_LOG ${path} cannot be opened: it is not a file`) },
  );
});
