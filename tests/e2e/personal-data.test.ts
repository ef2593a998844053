// A mixed load leaves no personal data that docs/personal-data.md does not name, and its commands answer both requests.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashPassword } from '@tollgate/session-service/passwords/password-hash.js';
import { accountPseudonym, makePass, passHash } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { openChallengeStore, openStore, waitForStores } from '@tollgate/shared/store';
import { newDevice, refreshProof, registration, renewal } from '@tollgate/test-support/device-key.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { codeBlocks, literalsIn, tablesHeaded } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';
import { GATE, SITE, visitSite } from '../monitoring/site-traffic.js';
import { startServiceHere } from '../system/services-here.js';
import type { Answer, Sent } from './client.js';
import { CHEAP, onStore, type Site, type StoreKind } from './site.js';

const API_KEY = 'the-key-of-the-other-services-0123456789';
const HOST_KEY = 'the-key-of-the-default-host-0123456789';
const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'another long password';

const page = readProjectFile('docs/personal-data.md');
const [, withoutAccount = ''] = page.split('## What is stored without an account');
const ofPerson = tablesHeaded(page, 'Part').flatMap(({ rows }) =>
  rows.flatMap(([, , place = '']) => literalsIn(place)),
);
const listed = (title: string) =>
  literalsIn(withoutAccount.split('\n').find((line) => line.startsWith(`- **${title}`)) ?? '');
const [byAddress, bySession, ofNobody] = ['By keyed network address', 'By session id', 'No person'].map(
  listed,
);

/** Whether a key has one of these patterns. */
function isLike(key: string, patterns: readonly string[] = []): boolean {
  return patterns.some((pattern) => {
    const literal = pattern.replaceAll(/[{}]/g, '\\$&').replaceAll(/<\w+>/g, '[^:]+');
    return new RegExp(`^${literal}$`).test(key);
  });
}

const withoutPrefix = (name: string) => name.replace(/^__(?:Host|Secure)-/, '');

/** A person, and every value that leads to them. */
interface Person {
  readonly id: string;
  readonly email: string;
  readonly agent: string;
  readonly ip: string;
  readonly pseudonym: string;
}

const values = ({ id, email, agent, ip, pseudonym }: Person) => ({ id, email, agent, ip, pseudonym });

for (const kind of ['redis', 'embedded'] as const) {
  t.test(`a mixed load on ${kind}`, (t) => mixedLoad(t, kind));
}

async function mixedLoad(t: Test, kind: StoreKind): Promise<void> {
  const folder = tempDir(t);
  const auditLog = join(folder, 'audit.log');
  const environment = {
    ...CHEAP,
    AUDIT_LOG: auditLog,
    AUDIT_LOG_DAYS: '30',
    SESSION_API_KEY: API_KEY,
    HOST_API_KEY: HOST_KEY,
    CAPTCHA_NO_SCRIPT: 'image',
    CAPTCHA_BIND_IP: 'true',
    PAGE_COOKIE: 'true',
    PAGE_LOGIN_URL: '/sign-in',
    ...SITE,
    ...GATE,
  };
  const run = async (t: Test, site: Site) => {
    site.secrets.note(API_KEY, HOST_KEY);
    const [ann, bob] = [await personOf(site, 'ann'), await personOf(site, 'bob')];
    const cookies = new Set<string>();
    for (const person of [ann, bob]) await useEverything(t, site, person, cookies);
    await visitSite(site);

    await t.test('cookies are those of the page', async (t) => {
      const named = tablesHeaded(page, 'Name').flatMap(({ rows }) =>
        rows
          .filter(([, kind]) => kind === 'cookie')
          .flatMap(([name = '']) => literalsIn(name).map(withoutPrefix)),
      );
      t.strictSame([...cookies].sort(), named.sort());
    });
    const dump = await dumpOf(site);
    t.ok(dump.size > 15, 'the load has used the store');
    for (const person of [ann, bob]) checkDump(t, dump, person);

    await t.test('logs, metrics and audit stream name no address, email or browser', async (t) => {
      const audit = readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join('');
      const logs = await site.logs();
      const metrics =
        (await site.sessionAdmin.get('/metrics')).text + (await site.challengeAdmin.get('/metrics')).text;
      for (const { id, email, agent, ip, pseudonym } of [ann, bob]) {
        for (const text of [email, agent, ip])
          for (const [place, written] of Object.entries({ audit, logs, metrics }))
            t.notOk(written.includes(text), `${place}: ${text}`);
        for (const text of [id, pseudonym]) {
          t.ok(audit.includes(text), 'the audit stream has ids and keyed hashes');
          t.notOk(metrics.includes(text), `metrics: ${text}`);
        }
      }
    });
    await t.test('the commands of the page answer both requests', (t) => answer(t, site, ann, bob, folder));
  };
  await onStore(t, kind, environment, run, {}, startServiceHere);
}

async function personOf(site: Site, name: string): Promise<Person> {
  const email = `${name}@personal-data.example`;
  const id = `user-id-of-${name}`;
  const user = await site.directory.add(email, await hashPassword(PASSWORD), id);
  if (user === undefined) throw new Error('the user was not added');
  const key = openKeyRing(site.system.secrets.CHALLENGE_SECRET).current;
  const pseudonym = accountPseudonym(key, 'login', email);
  return { id, email, agent: `browser-of-${name}/1.0`, ip: site.newAddress(), pseudonym };
}

/** Address and browser of a request. */
type From = Required<Pick<Sent, 'ip' | 'headers'>>;

/** Every kind of request, right and wrong, from the person's address and browser. */
async function useEverything(t: Test, site: Site, person: Person, cookies: Set<string>): Promise<void> {
  const { id, email, agent, ip } = person;
  const from = { ip, headers: { 'user-agent': agent } };
  const api = { headers: { authorization: `Bearer ${API_KEY}` } };
  const seen = (answer: Answer) => {
    for (const cookie of answer.cookies) cookies.add(withoutPrefix(cookie.split('=')[0] ?? ''));
    return answer;
  };
  const logIn = async (password: string) =>
    seen(await site.tryLogIn({ email, password }, { ip, headers: from.headers }));
  const cookieOf = (answer: Answer) => answer.cookies[0]?.split(';')[0] ?? '';
  const bearerOf = (answer: Answer) => ({
    ...from,
    headers: { ...from.headers, authorization: `Bearer ${answer.json.accessToken}` },
  });

  const ended = await logIn(PASSWORD);
  t.equal(ended.status, 200, ended.text);
  t.equal((await site.session.post('/logout', bearerOf(ended))).status, 204);
  await logIn(PASSWORD);
  const changed = await site.session.post('/password', {
    ...bearerOf(await logIn(PASSWORD)),
    body: { old_password: PASSWORD, new_password: NEW_PASSWORD, ...(await site.work({ ip })) },
  });
  t.equal(changed.status, 204, changed.text);
  await bindBrowser(t, site, await logIn(NEW_PASSWORD), from, seen);
  await passGate(t, site, from, seen);
  for (let times = 0; times < 6; times++) await logIn('a wrong password');
  await site.challenge.get('/api/captcha', from);
  await site.challenge.get(
    `/api/captcha/no-script/${(id + 'c'.repeat(40)).replaceAll('-', '').slice(0, 40)}.png`,
    from,
  );
  const image = await site.challenge.get('/api/captcha?preset=effort', from);
  t.equal(image.status, 200);
  const code = await site.sessionAdmin.post(`/users/${id}/sign-in-codes`, {
    ...api,
    body: { origin: site.system.address },
  });
  site.secrets.note(code.json.code);
  const exchanged = {
    body: { code: code.json.code },
    headers: { ...from.headers, origin: site.system.address },
    ip,
  };
  const held = await site.session.post('/login/code', exchanged);
  t.equal(held.status, 200, held.text);
  const first = cookieOf(held);
  t.equal((await site.refresh(first, from)).status, 200);
  const device = newDevice();
  const proof = refreshProof(device, `${site.system.address}/login/code`, undefined);
  const second = await site.sessionAdmin.post(`/users/${id}/sign-in-codes`, {
    ...api,
    body: { origin: site.system.address },
  });
  site.secrets.note(second.json.code);
  await site.session.post('/login/code', {
    ...exchanged,
    body: { code: second.json.code },
    headers: { ...exchanged.headers, 'refresh-proof': proof },
  });
  await site.sessionAdmin.post(`/users/${id}/sign-in-codes`, {
    ...api,
    body: { origin: site.system.address },
  });
  const pass = makePass('uptime');
  site.secrets.note(pass);
  const store = openStore(site.redis?.url ?? `file:${site.storeFile}`, '/');
  await waitForStores([store]);
  const about = {
    name: 'uptime',
    application: 'default',
    hash: passHash(pass),
    perMinute: 9,
    lifetimeMs: 60_000,
  };
  await openChallengeStore(store, 'captcha').makePass(about);
  await store.close();
  await site.challengeAdmin.post('/host/verify', {
    body: { captcha_pass: pass, ip, key: email },
    headers: { authorization: `Bearer ${HOST_KEY}` },
  });
  await site.challengeAdmin.post('/host/failures', {
    body: { key: email, ip },
    headers: { authorization: `Bearer ${HOST_KEY}` },
  });
}

/** The browser binds the session of a login to its own key, and renews the cookie of the binding. */
async function bindBrowser(
  t: Test,
  { session, refresh }: Site,
  login: Answer,
  from: From,
  seen: (answer: Answer) => Answer,
): Promise<void> {
  const device = newDevice();
  const cookie = login.cookies[0]?.split(';')[0] ?? '';
  const post = async (path: string, headers: Readonly<Record<string, string>>) =>
    seen(await session.post(path, { ip: from.ip, headers: { ...from.headers, cookie, ...headers } }));
  const [, offered = ''] =
    /;challenge="([^"]+)"/.exec(String(login.headers['secure-session-registration'])) ?? [];
  const bound = await post('/refresh/bind', { 'secure-session-response': registration(device, offered) });
  t.equal(bound.status, 200, bound.text);
  const id = { 'sec-secure-session-id': bound.json.session_identifier };
  const asked = await post('/refresh/renew', id);
  const [, challenge = ''] = /^"([^"]+)"/.exec(String(asked.headers['secure-session-challenge'])) ?? [];
  const renewed = await post('/refresh/renew', {
    ...id,
    'secure-session-response': renewal(device, challenge),
  });
  t.equal(renewed.status, 200, renewed.text);
  t.equal((await refresh([cookie, renewed.cookies[0]?.split(';')[0] ?? ''], from)).status, 200);
}

/** Solves the gate's challenge, and opens a page behind the gate. */
async function passGate(
  t: Test,
  { challenge, work }: Site,
  from: From,
  seen: (answer: Answer) => Answer,
): Promise<void> {
  const headers = { ...from.headers, 'x-forwarded-host': 'gated.test', 'x-forwarded-proto': 'http' };
  const check = async (more = {}) =>
    (await challenge.get('/api/captcha/gate/check', { ...from, headers: { ...headers, ...more } })).status;
  t.equal(await check(), 403);
  const passed = seen(
    await challenge.post('/api/captcha/gate/pass', {
      ...from,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(await work({ ip: from.ip })).toString(),
    }),
  );
  t.equal(passed.status, 200, passed.text);
  t.equal(await check({ cookie: passed.cookies[0]?.split(';')[0] ?? '' }), 204);
}

/** All keys and values of the store. */
async function dumpOf(site: Site): Promise<Map<string, string>> {
  const dump = new Map<string, string>();
  if (site.redis === undefined) {
    const store = openStore(`file:${site.storeFile}`, '/');
    if (store.kind !== 'embedded') throw new TypeError('a file is an embedded store');
    for (const key of await store.keys('')) dump.set(key, (await store.read(key)) ?? '');
    await store.close();
    return dump;
  }
  const { client } = site.redis;
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => client.get(key),
    hash: (key) => client.hgetall(key),
    list: (key) => client.lrange(key, 0, -1),
    zset: (key) => client.zrange(key, '0', '-1'),
    stream: (key) => client.xrange(key, '-', '+'),
  };
  for (const key of await client.keys('*')) {
    dump.set(key, JSON.stringify(await read[await client.type(key)]?.(key)));
  }
  return dump;
}

/** Keys that only the embedded store has: docs/store-keys.md. */
const EMBEDDED_ONLY = /^(?:session:revoked:\d+|machine:\S+)$/;

function checkDump(t: Test, dump: Map<string, string>, person: Person): void {
  const found = new Map<string, Set<string>>();
  for (const [key, value] of dump) {
    const isKnown = [ofPerson, byAddress, bySession, ofNobody].some((patterns) => isLike(key, patterns));
    t.ok(isKnown || EMBEDDED_ONLY.test(key), `${key} is on the page`);
    for (const [name, text] of Object.entries(values(person))) {
      if (!`${key} ${value}`.includes(text)) continue;
      found.set(name, (found.get(name) ?? new Set()).add(key));
    }
  }
  t.strictSame([found.get('email'), found.get('ip')], [undefined, undefined], 'no address is in the store');
  for (const name of ['id', 'agent']) {
    const keys = [...(found.get(name) ?? [])];
    t.ok(keys.length > 0, `the load has stored the ${name}`);
    for (const key of keys) t.ok(isLike(key, ofPerson), `${name} in ${key}`);
  }
  // A challenge requested for an account has its pseudonym.
  for (const key of found.get('pseudonym') ?? [])
    t.ok(
      isLike(key, [...ofPerson, 'captcha:pow:{<tag>}:<token>', 'captcha:img:{<tag>}:<token>']),
      `pseudonym in ${key}`,
    );
  t.strictSame(
    [...(found.get('agent') ?? [])],
    [`session:{${person.id}}`],
    'the browser is with the sessions only',
  );
}

const run = promisify(execFile);

/** Pastes the commands of the page, with the person's address and the ports of the system. */
async function answer(t: Test, site: Site, ann: Person, bob: Person, folder: string): Promise<void> {
  const { ports, secrets } = site.system;
  const env = {
    ...process.env,
    DATA_DIR: join(site.storeFile, '..'),
    AUDIT_LOG: join(folder, 'audit.log'),
    CHALLENGE_SECRET: secrets.CHALLENGE_SECRET,
    SESSION_API_KEY: API_KEY,
    ...(site.redis !== undefined && { STORE_URL: site.redis.url }),
  };
  const output = join(tempDir(t), 'person.json');
  const commands = codeBlocks(page, 'sh')
    .flatMap((block) => block.trim().split('\n'))
    .filter((line) => !line.startsWith('docker '))
    .map((line) =>
      line
        .replaceAll('you@example.com', ann.email)
        .replace('person.json', output)
        .replace('127.0.0.1:9001', `127.0.0.1:${ports.sessionAdmin}`),
    );
  t.equal(commands.length, 3);
  const paste = async (command = '') =>
    (await run('sh', ['-c', command], { cwd: projectRoot, env, maxBuffer: 1e8 })).stdout;
  await paste(commands[0]);
  const exported = JSON.parse(readFileSync(output, 'utf8'));
  t.strictSame(exported.person, { id: ann.id, email: ann.email, in_directory: true });
  const counts = Object.fromEntries(
    exported.parts.map(({ part, items }: { part: string; items: unknown[] }) => [part, items.length]),
  );
  t.ok(counts.sessions >= 2 && counts.account_events >= 6 && counts.audit_log >= 8, JSON.stringify(counts));
  t.match(counts, { directory: 1, ended_sessions: 2, device_void: 1, failure_counters: 2 });
  const text = JSON.stringify(exported);
  t.match(text, '"binding":"dbsc"', 'the sessions have their device binding');
  for (const other of Object.values(values(bob)))
    t.notOk(text.includes(other), `nothing of others: ${other}`);
  t.equal(JSON.parse(await paste(commands[1])).person.id, ann.id, 'over the admin port the same');

  const erased = JSON.parse(await paste(commands[2]));
  for (const { part, erased: count } of erased.parts) t.ok(count >= counts[part], `${part}: ${count}`);
  const dump = await dumpOf(site);
  const open = ['captcha:pow:{<tag>}:<token>', 'captcha:img:{<tag>}:<token>'];
  for (const [name, value] of Object.entries(values(ann))) {
    const keys = [...dump].filter(([key, stored]) => `${key} ${stored}`.includes(value)).map(([key]) => key);
    t.strictSame(
      keys.filter((key) => !isLike(key, open)),
      [],
      `${name} is gone from the store`,
    );
    const files = [folder, join(site.storeFile, '..')].flatMap((path) => filesIn(path));
    const left = files.filter((path) => !/\.log$/.test(path) || path.startsWith(folder));
    for (const path of left) {
      const isThere = readFileSync(path).includes(value);
      // Open challenges are in the embedded store until they expire.
      if (!(name === 'pseudonym' && path.startsWith(site.storeFile)))
        t.notOk(isThere, `${name} is gone from ${path}`);
    }
  }
  for (const value of [bob.id, bob.agent])
    t.ok(JSON.stringify([...dump]).includes(value), 'others have lost nothing');
  t.equal(await site.directory.findById(ann.id), undefined);
  t.ok(await site.directory.findById(bob.id));
}

/** The files of a folder, not of those below. */
function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
