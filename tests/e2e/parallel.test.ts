// Many concurrent requests through two processes of a service on one store: logins, refreshes, and the host API.

import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  type Environment,
  environmentFor,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { startService } from '@tollgate/tools/launcher/service-process.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { solve } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import type { Answer } from './client.js';
import { refusal, refusedUnproven } from './refusals.js';
import { CHEAP, eachStore, type Site } from './site.js';

const HOST_API_KEY = randomBytes(24).toString('hex');
const SHOP_KEY = randomBytes(24).toString('hex');
const PARALLEL = 1000;

const environment = {
  GATEWAY_PORT: '0',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
  HOST_API_KEY,
  HOST_API_KEYS: `shop:${SHOP_KEY}`,
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '4',
  CAPTCHA_MIN_SECONDS: '0',
  LOG_LEVEL: 'warn',
};

/** A challenge issued in test mode. */
interface Issued {
  readonly token: string;
  readonly salt: string;
  readonly difficulty: number;
  readonly answer: string;
}

interface Nodes {
  /** The admin ports of two processes of the challenge service. */
  readonly admin: readonly string[];
  readonly address: string;
  /** The complete log of both challenge-service processes. */
  logs(): string;
}

t.test('logins and refreshes in parallel', (t) => eachStore(t, CHEAP, tests));

async function tests(t: Test, site: Site): Promise<void> {
  const second = await site.addSessionService();
  const nodes = [site.session, second];

  await t.test('of 1,000 submissions of one solved challenge exactly one succeeds', async (t) => {
    const user = await site.newUser();
    const body = { ...user, ...(await site.work()) };
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => nodes[n % 2]!.post('/login', { body })),
    );
    const others = answers.filter(({ status }) => status !== 200);
    t.equal(others.length, 999);
    const refused = JSON.stringify(refusedUnproven('pow_invalid', { pow_nonce: 'wrong_work' }));
    t.strictSame(
      new Set(others.map((answer) => `${answer.status} ${sorted(answer.json)}`)),
      new Set([`422 ${sorted(JSON.parse(refused))}`]),
    );
    t.equal((await site.events('login')).length, 1);
    t.strictSame(await site.events('login_failed'), []);
  });

  await t.test('of 200 wrong logins with work at the floor price, one reaches the password', async (t) => {
    const account = { email: (await site.newUser()).email, password: 'wrong' };
    const before = (await site.events('login_failed')).length;
    const works = await Promise.all(Array.from({ length: 200 }, () => site.work()));
    const answers = await Promise.all(
      works.map((work, n) =>
        nodes[n % 2]!.post('/login', { ip: site.newAddress(), body: { ...account, ...work } }),
      ),
    );
    const codes = countBy(answers);
    t.equal(codes.get('422 login_failed'), 1);
    t.equal(codes.get('422 pow_insufficient'), 199);
    t.equal((await site.events('login_failed')).length, before + 1);
  });

  await t.test('of 200 with work under its ticket but no image at most two do', async (t) => {
    const account = { email: (await site.newUser()).email, password: 'wrong' };
    const before = (await site.events('login_failed')).length;
    const scope = await site.scopeOf(account.email);
    const works = await Promise.all(Array.from({ length: 200 }, () => site.work({ scope })));
    const answers = await Promise.all(
      works.map((work, n) =>
        nodes[n % 2]!.post('/login', { ip: site.newAddress(), body: { ...account, ...work } }),
      ),
    );
    const codes = countBy(answers);
    t.equal(codes.get('422 login_failed'), 2);
    t.strictSame(others(codes, /^422 (login_failed|captcha_required|pow_insufficient)$/), []);
    t.equal(answers.length, 200);
    t.equal((await site.events('login_failed')).length, before + 2);
  });

  await t.test('the same from one address, where the pair may also be throttled', async (t) => {
    const account = { email: site.newEmail(), password: 'wrong' };
    const before = (await site.events('login_failed')).length;
    const ip = site.newAddress();
    const scope = await site.scopeOf(account.email);
    const works = await Promise.all(Array.from({ length: 200 }, () => site.work({ scope })));
    const answers = await Promise.all(
      works.map((work, n) => nodes[n % 2]!.post('/login', { ip, body: { ...account, ...work } })),
    );
    const codes = countBy(answers);
    t.equal(codes.get('422 login_failed'), 2);
    const known = /^(422 (login_failed|captcha_required|pow_insufficient)|429 login_throttled)$/;
    t.strictSame(others(codes, known), []);
    t.equal((await site.events('login_failed')).length, before + 2);
    const work = await site.work({ scope });
    const body = { ...work, ...(await site.image()) };
    const next = await site.tryLogIn(account, { ip, body });
    t.equal(next.json.code, 'login_failed', 'withdrawn attempts throttle nobody');
  });

  await t.test('a logout at one process is known to the other within a second', async (t) => {
    const { accessToken, cookie } = await site.logIn(await site.newUser());
    const headers = { authorization: `Bearer ${accessToken}` };
    t.equal((await second.get('/profile', { headers })).status, 200);
    t.equal((await site.session.post('/logout', { headers })).status, 204);
    const endedMs = performance.now();
    const own = await site.session.get('/profile', { headers });
    t.strictSame([own.status, own.json], [401, refusal('session_revoked')], 'immediately in its own process');
    let there = await second.get('/profile', { headers });
    while (there.status === 200 && performance.now() - endedMs < 5_000) {
      there = await second.get('/profile', { headers });
    }
    const tookMs = performance.now() - endedMs;
    t.strictSame([there.status, there.json], [401, refusal('session_revoked')]);
    t.ok(tookMs < 1_000, `${Math.round(tookMs)} ms`);
    t.equal((await second.post('/refresh', { headers: { cookie } })).json.code, 'session_revoked');
  });

  await t.test(
    '200 refreshes of one cookie are one step, and every response has the same generation',
    async (t) => {
      const { cookie } = await site.logIn(await site.newUser());
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) => nodes[n % 2]!.post('/refresh', { headers: { cookie } })),
      );
      t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]));
      const cookies = answers.map((answer) => answer.cookies[0]?.split(';')[0] ?? '');
      // All of one generation: each still works, and none is one step behind another.
      await site.age(31_000);
      const [first = '', ...rest] = cookies;
      t.equal((await site.refresh(first)).status, 200);
      const again = await Promise.all(rest.slice(0, 20).map((each) => site.refresh(each)));
      t.strictSame(new Set(again.map(({ status }) => status)), new Set([200]));
      await site.age(31_000);
      t.equal((await site.refresh(again[0]?.cookies[0]?.split(';')[0] ?? '')).status, 200);
      t.equal((await site.refresh(cookie)).status, 401, 'the first one is old by now');
    },
  );
}

/** The responses other than the known ones. */
const others = (codes: Map<string, number>, known: RegExp) =>
  [...codes.keys()].filter((code) => !known.test(code));

const sorted = (body: object) => JSON.stringify(Object.entries(body).sort());

function countBy(answers: readonly Answer[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status, json } of answers) {
    const name = `${status} ${json?.code}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

t.test('the host API on the embedded store', async (t) => hostApi(t, await startNodes(t, {})));

t.test('the host API on Redis', async (t) => {
  const { url } = await startRedis(t);
  await hostApi(t, await startNodes(t, { STORE_URL: url }));
});

/** A system, and one more challenge-service process on its store, with its own variables `second`. */
async function startNodes(
  t: Test,
  store: Environment,
  second: Environment = {},
  start: typeof startService = startService,
): Promise<Nodes> {
  const folder = t.testdir();
  const own = { ...environment, ...store, DATA_DIR: folder };
  const system = await startSystem({ environment: own, startService: start });
  t.teardown(() => system.stop());
  const ports = { ...(await settlePorts(ANY_PORTS)), gateway: system.gatewayPort };
  const complete = completeForLocalUse({ ...own, ...system.secrets, ...second }, ports);
  const service = start('challenge-service', {
    environment: environmentFor('challenge-service', complete),
    logFile: join(folder, 'second.log'),
  });
  t.teardown(() => service.stop(10_000));
  const url = `http://127.0.0.1:${ports.challengeAdmin}`;
  await waitUntilAllReady([{ service, url: `${url}/health/ready`, explain: (body) => body }], {
    unreadyMs: 20_000,
    silentMs: 60_000,
  });
  return {
    admin: [`http://127.0.0.1:${system.ports.challengeAdmin}`, url],
    address: system.address,
    logs: () => system.processes['challenge-service'].log() + service.log(),
  };
}

async function hostApi(t: Test, { admin, address, logs }: Nodes): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  t.teardown(() => agent.destroy());
  const verify = (node: number, body: object, key = HOST_API_KEY) =>
    post(agent, `${admin[node % admin.length]}/host/verify`, body, key);
  const issue = async (path: string) => (await fetch(`${address}/api/captcha${path}`)).json();
  const work = async () => {
    const { token, salt, difficulty } = (await issue('/pow')) as Issued;
    return { pow_token: token, pow_nonce: solve({ salt, difficulty }) };
  };
  const image = async () => {
    const { token, answer } = (await issue('')) as Issued;
    return { captcha_token: token, captcha: answer };
  };
  const inParallel = (body: (n: number) => object) =>
    Promise.all(Array.from({ length: PARALLEL }, (_, n) => verify(n, body(n))));

  await t.test('of 1,000 parallel submissions of one solved challenge exactly one succeeds', async (t) => {
    const fields = await work();
    const answers = await inParallel(() => fields);
    const failures = answers.filter(({ success }) => success === false);
    t.equal(failures.length, PARALLEL - 1);
    t.strictSame(new Set(failures.map(({ code }) => code)), new Set(['pow_invalid']));
  });

  await t.test('the same with an image, and an idempotency key for each submission', async (t) => {
    const fields = { ...(await work()), ...(await image()) };
    const answers = await inParallel((n) => ({ ...fields, idempotency_key: `submission ${n}` }));
    const [winner] = answers.flatMap(({ success }, n) => (success ? [n] : []));
    t.equal(answers.filter(({ success }) => success).length, 1);
    for (const node of [0, 1]) {
      const again = await verify(node, { ...fields, idempotency_key: `submission ${winner}` });
      t.equal(again.success, true, 'the successful submission may be repeated, at either process');
      t.equal((await verify(node, { ...fields, idempotency_key: 'another' })).success, false);
      const shop = { ...fields, idempotency_key: `submission ${winner}` };
      t.equal((await verify(node, shop, SHOP_KEY)).success, false, 'but not by another host');
    }
  });

  await t.test('1,000 retries of one submission all get its verdict', async (t) => {
    const fields = { ...(await work()), idempotency_key: 'one' };
    const answers = await inParallel(() => fields);
    t.strictSame(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    t.equal(answers[0]?.success, true);
  });

  await t.test('equal options cause no warning, and no key is in the log', async (t) => {
    t.notMatch(logs(), /other CAPTCHA_ options/);
    t.notOk([HOST_API_KEY, SHOP_KEY].some((key) => logs().includes(key)));
  });
}

const WARNING = '"msg":"another process on this store has other CAPTCHA_ options"';

t.test('a process with other options is reported', async (t) => {
  const { url } = await startRedis(t);
  for (const store of [{}, { STORE_URL: url }]) {
    const { logs } = await startNodes(t, store, { CAPTCHA_ESCALATION_AFTER: '3' }, startServiceHere);
    // The log may be written later than the response.
    while (!logs().includes(WARNING)) await pause(10);
    t.pass(`with ${'STORE_URL' in store ? 'Redis' : 'the embedded store'}`);
  }
});

interface Verdict {
  readonly success: boolean;
  readonly code?: string;
}

function post(agent: Agent, url: string, body: object, key: string): Promise<Verdict> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: 'POST', headers }, async (response) => {
      try {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${response.statusCode}: ${text}`));
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}
