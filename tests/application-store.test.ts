// Applications with the guard and a store or secret that differs from the services': the log and doctor report it.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { challengeGuard } from '@tollgate/fastify';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { complaints, startExaminedSystem } from './doctor/examined-system.js';

const MISSING = 'no challenge service has reported on this store';
const DIFFERS = 'the challenge service on this store has another CHALLENGE_SECRET';

/** An application with the guard, and its log warnings. */
async function openApplication(t: Test, environment: Readonly<Record<string, string | undefined>>) {
  const warnings: string[] = [];
  const write = (line: string) => warnings.push(JSON.parse(line).msg);
  const app = Fastify({ logger: { level: 'warn', stream: { write } } });
  t.teardown(() => app.close());
  await app.register(challengeGuard, { application: 'shop', environment });
  await app.ready();
  return warnings;
}

async function examples(t: Test, given: { STORE_URL?: string }): Promise<void> {
  const examined = await startExaminedSystem(t, { environment: given });
  const { CHALLENGE_SECRET } = examined.system.secrets;
  const captcha = Object.fromEntries(Object.entries(examined.env).filter(([name]) => /^CAPTCHA_/.test(name)));
  const environment = {
    ...captcha,
    CHALLENGE_SECRET,
    STORE_URL: given.STORE_URL ?? `file:${join(examined.env.DATA_DIR ?? '', 'tollgate.db')}`,
  };
  const right = await openApplication(t, environment);
  const others = [
    await openApplication(t, { ...environment, STORE_URL: `file:${join(tempDir(t), 'own.db')}` }),
    await openApplication(t, { ...environment, CHALLENGE_SECRET: randomBytes(32).toString('hex') }),
  ];
  const endMs = performance.now() + 30_000;
  while (others.some((warnings) => warnings.length === 0) && performance.now() < endMs) await pause(50);
  t.match(others, [[MISSING], [DIFFERS]]);
  t.strictSame(right, []);

  const findings = complaints(await examined.examine({ env: examined.env }));
  t.match(
    findings.filter(({ check }) => check !== 'one_store' && check !== 'sessions_not_kept'),
    [
      {
        check: 'application_secret_differs',
        severity: 'warning',
        message: /^1 application on the store in STORE_URL has a different CHALLENGE_SECRET/,
      },
    ],
  );
  const stranger = { ...examined.env, CHALLENGE_SECRET: randomBytes(32).toString('hex') };
  const checks = complaints(await examined.examine({ env: stranger })).map(({ check }) => check);
  t.ok(checks.includes('challenge_secret_differs'));
}

t.test('on the embedded store', (t) => examples(t, {}));

t.test('on Redis', async (t) => {
  const redis = await startRedis(t);
  await examples(t, { STORE_URL: redis.url });
  const examined = await startExaminedSystem(t, { environment: { STORE_URL: redis.url } });
  const elsewhere = { ...examined.env, CAPTCHA_CACHE_STORE: `${redis.url}/7` };
  const checks = complaints(await examined.examine({ env: elsewhere })).map(({ check }) => check);
  t.ok(checks.includes('challenge_service_missing'));
});
