// HashWX work against the real services: fetched, solved and accepted, with SHA-256 as the fallback.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import {
  createChallenge,
  fetchEffortChallenge,
  fetchPowChallenge,
  obtainPow,
  type SearchProgress,
  solveEffort,
  solvePow,
} from '@tollgate/client/challenge';
import t from 'tap';
import { startRealService } from './real-service.js';
import type { Obtained } from './refused-module.js';

const ada = 'ada@example.com';
const bob = 'bob@example.com';
// With this exchange the effort is short.
const environment = { CAPTCHA_POW_ALGORITHMS: 'hashwx-1=150,sha256', CAPTCHA_POW_MAX_DIFFICULTY: '16' };
const service = await startRealService(t, environment, [ada, bob]);
const baseUrl = service.address;
const algorithms = ['hashwx-1', 'sha256'];

t.test('the login accepts it, once', async (t) => {
  const challenge = await fetchPowChallenge({ baseUrl, algorithms });
  t.match(challenge, {
    algorithm: 'hashwx-1',
    salt: /^[0-9a-f]{64}$/,
    difficulty: 1,
    parts: 4,
    part_hashes: 2,
  });
  const { nonce, hashes, state } = await solvePow(challenge);
  t.match(nonce, /^\d+(\.\d+){3}$/);
  t.ok(hashes > 0);
  t.same(state, { path: 'compiled', workers: 0, degraded: true });
  const fields = { pow_token: challenge.token, pow_nonce: nonce };
  t.equal((await service.signIn(ada)(fields)).status, 200);
  t.match(await (await service.signIn(ada)(fields)).json(), { code: 'pow_invalid' });
});

t.test('without a preference, or with SHA-256 first, the work is SHA-256', async (t) => {
  t.equal((await fetchPowChallenge({ baseUrl })).algorithm, 'sha256');
  t.equal((await fetchPowChallenge({ baseUrl, algorithms: algorithms.toReversed() })).algorithm, 'sha256');
  const fields = await obtainPow({ baseUrl, algorithms: ['sha256'] });
  t.equal((await service.signIn(ada)(fields)).status, 200);
});

t.test('a form: rejected, priced by its account, repeated automatically', async (t) => {
  const challenge = createChallenge({ baseUrl, algorithms });
  t.teardown(challenge.close);
  t.notOk((await challenge.submit(service.signIn(bob, 'wrong'))).ok);
  t.equal((await challenge.submit(service.signIn(bob))).status, 200);
  t.equal(challenge.state.solver?.path, 'compiled');
});

t.test('effort uses it, with progress over its parts', async (t) => {
  const challenge = await fetchEffortChallenge({ baseUrl, algorithms });
  t.match(challenge, { algorithm: 'hashwx-1', parts: 4, part_difficulty: 20, part_hashes: 6991 });
  const progress: [number, SearchProgress, SearchProgress][] = [];
  const { answer } = await solveEffort(challenge, {
    onProgress: (now, part, all) => progress.push([part, now, all]),
  });
  t.match(answer, /^\d+(\.\d+){3}$/);
  for (const [part, { chance = -1 }] of progress) t.ok(part >= 0 && part < 4 && chance >= 0 && chance <= 1);
});

t.test('if WebAssembly is blocked, another challenge is fetched, for SHA-256', async (t) => {
  const thread = new Worker(new URL('refused-module.js', import.meta.url), {
    workerData: { baseUrl, algorithms },
  });
  const [{ fields, requested }] = (await once(thread, 'message')) as [Obtained];
  for (const { pow_nonce } of fields) t.match(pow_nonce, /^\d{1,24}$/);
  t.equal((await service.signIn(ada)(fields[0]!)).status, 200);
  const paths = ['/pow?algorithms=hashwx-1%2Csha256', '/pow', '/pow'].map((path) => `/api/captcha${path}`);
  t.same(requested, paths, 'and the fallback is remembered');
  await thread.terminate();
});
