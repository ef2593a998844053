// docs/examples/orders.js and the same lines in docs/sessions/verify-tokens.md: a service that verifies access tokens.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { exportAccessKeys, openKeyRing } from '@tollgate/shared/crypto';
import { openKeyRecord, openStore } from '@tollgate/shared/store';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { codeBlocks } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';
import { examples, type HostedSystem, startHostedSystem } from './hosts.js';

const PROGRAM = join(examples, 'orders.js');

t.test('docs/sessions/verify-tokens.md shows the whole file', async (t) => {
  const programs = codeBlocks(readProjectFile('docs/sessions/verify-tokens.md'), 'js').filter((code) =>
    code.includes('Fastify('),
  );
  t.strictSame(programs.map(String), [readFileSync(PROGRAM, 'utf8')]);
});

t.test('on the embedded store', (t) => tests(t, {}));

t.test('on Redis', async (t) => tests(t, { STORE_URL: (await startRedis(t)).url }));

async function tests(t: Test, environment: { STORE_URL?: string }): Promise<void> {
  const system = await startHostedSystem(t, environment);
  const { address, child, closed } = await startOrders(t, system);
  const ask = async (authorization?: string) => {
    const answer = await fetch(`${address}/orders`, { headers: authorization ? { authorization } : {} });
    return { status: answer.status, json: await answer.json() };
  };

  t.strictSame(await ask(), { status: 401, json: { message: 'Please sign in.', code: 'token_invalid' } });
  const bearer = await signIn(system);
  t.match(await ask(bearer), { status: 200, json: { customer: 1, orders: [] } });
  const invoices = await fetch(`${address}/invoices`, { headers: { authorization: bearer } });
  t.match(await invoices.json(), { customer: 1, invoices: [] }, 'a login of just now');

  const ended = await fetch(`${system.address}/logout`, {
    method: 'POST',
    headers: { authorization: bearer },
  });
  t.equal(ended.status, 204);
  const limitMs = performance.now() + 5000;
  let answer = await ask(bearer);
  while (answer.status === 200 && performance.now() < limitMs) answer = await ask(bearer);
  t.match(answer, { status: 401, json: { code: 'session_revoked' } });

  child.kill('SIGTERM');
  t.strictSame(await closed, [0, null], 'the process exits');
  const store = openStore(system.storeUrl, '/');
  t.teardown(() => store.close());
  if (store.kind === 'redis') await once(store.client, 'ready');
  const { nodes } = await openKeyRecord(store).read();
  t.notOk(
    nodes.some(({ makes }) => !makes),
    'it has logged its end',
  );
}

async function startOrders(t: Test, { secrets, storeUrl }: HostedSystem) {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: tempDir(t),
    env: {
      PATH: process.env.PATH,
      ACCESS_SECRET: secrets.ACCESS_SECRET,
      ACCESS_KEYS: exportAccessKeys(openKeyRing(secrets.ENCRYPTION_KEY)),
      STORE_URL: storeUrl,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, url] = /Server listening at (http:\/\/[^"\s]+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const ended = closed.then(() => Promise.reject(new Error('the example did not start')));
  ended.catch(() => {});
  return { address: await Promise.race([listening, ended]), child, closed };
}

/** The header of the demo account's access token. */
async function signIn(system: HostedSystem): Promise<string> {
  const answer = await fetch(`${system.address}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: system.address },
    body: JSON.stringify({ ...system.demo, ...(await system.work()) }),
  });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  return `Bearer ${accessToken}`;
}
