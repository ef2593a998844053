// The host API of a running system: single use, through two processes on one store.

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
import { solve } from './solving.js';
import { startServiceHere } from './system/services-here.js';

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

t.test('on the embedded store', async (t) => tests(t, await startNodes(t, {})));

t.test('on Redis', async (t) => {
  const { url } = await startRedis(t);
  await tests(t, await startNodes(t, { STORE_URL: url }));
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

async function tests(t: Test, { admin, address, logs }: Nodes): Promise<void> {
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
