// Fetching and solving single challenges, tested against the real services.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import {
  CaptchaRequestError,
  createChallenge,
  fetchEffortChallenge,
  fetchImageChallenge,
  fetchPowChallenge,
  obtainPow,
  openSolver,
  PowGaveUpError,
  type SearchProgress,
  solveEffort,
  solvePow,
} from '@tollgate/client/challenge';
import t from 'tap';
import { startStaticSite } from '../support/static-site.js';
import { startRealService } from './real-service.js';
import type { Obtained } from './refused-module.js';

const ada = 'ada@example.com';
const bob = 'bob@example.com';
const service = await startRealService(t, { RATE_LIMIT_ISSUE: '5' }, [ada, bob]);
const baseUrl = service.address;
const token = /^[A-Za-z0-9]{40}$/;

t.test('a proof of work is fetched, solved and accepted', async (t) => {
  const challenge = await fetchPowChallenge({ baseUrl: `${baseUrl}/`, prefix: '/api/captcha/' });
  t.match(challenge, { token, salt: /^[0-9a-f]{32}$/, difficulty: 1, algorithm: 'sha256', expires_in: 120 });
  const { nonce, hashes, ms, state } = await solvePow(challenge);
  t.ok(hashes > 0 && ms >= 0);
  t.same(state, { ...state, workers: 0 }, 'there are no workers in Node');
  const response = await service.signIn(ada)({ pow_token: challenge.token, pow_nonce: nonce });
  t.equal(response.status, 200);
});

t.test('both in one call: the two fields, under the names of the service', async (t) => {
  const fields = await obtainPow({ baseUrl });
  t.match(fields, { pow_token: token, pow_nonce: /^\d{1,24}$/ });
  t.equal((await service.signIn(ada)(fields)).status, 200);
  const named = await obtainPow({ baseUrl, fields: { pow_token: 'work', pow_nonce: 'answer' } });
  t.same(Object.keys(named), ['work', 'answer']);
});

t.test('a ticket sets the price for its account', async (t) => {
  const refusal = await (await service.signIn(bob, 'wrong')(await obtainPow({ baseUrl }))).json();
  const { difficulty } = await fetchPowChallenge({ baseUrl, scope: refusal.pow_scope });
  t.equal(difficulty, 3);
});

t.test('a solver can be reused; one passed as an option stays open', async (t) => {
  const solver = openSolver({ workers: 0 });
  t.teardown(solver.close);
  for (const _ of [1, 2]) await obtainPow({ baseUrl, solver });
  t.ok(await solver.search({ head: 'a'.repeat(32), difficulty: 1 }));
});

t.test('an image, an image of a preset, and work in its place', async (t) => {
  const image = await fetchImageChallenge(undefined, { baseUrl });
  t.match(image, { token, url: `${baseUrl}/api/captcha/${image.token}.png`, expires_in: 120 });
  t.match(await fetchImageChallenge('default', { baseUrl }), { token });
  await t.rejects(fetchImageChallenge('none', { baseUrl }), { status: 422, code: 'unknown_preset' });

  const effort = await fetchEffortChallenge({ baseUrl });
  t.match(effort, { token, parts: 16, part_difficulty: 18, algorithm: 'sha256' });
  const parts = new Set<number>();
  const solved = await solveEffort(
    { ...effort, part_difficulty: 3 },
    { onProgress: (_, part) => parts.add(part) },
  );
  t.match(solved.answer, /^\d{1,24}(\.\d{1,24}){15}$/);
  t.ok(parts.has(15));
});

t.test('a rate limit is reported with its Retry-After', async (t) => {
  const ask = async (): Promise<never> => {
    for (;;) await fetchImageChallenge(undefined, { baseUrl });
  };
  const error = await ask().catch((thrown: unknown) => thrown);
  t.ok(error instanceof CaptchaRequestError);
  t.match(error, { name: 'CaptchaRequestError', status: 429, code: 'rate_limited', isRateLimited: true });
  t.equal((error as Error).message, 'Too many requests. Please wait a moment.');
  const { retryAfterSeconds } = error as CaptchaRequestError;
  t.ok(retryAfterSeconds !== null && retryAfterSeconds > 0 && retryAfterSeconds <= 60);
});

t.test('a wrong prefix is a request error with status 404', async (t) => {
  const error = await fetchPowChallenge({ baseUrl, prefix: 'captcha' }).catch((thrown: unknown) => thrown);
  t.match(error, { name: 'CaptchaRequestError', status: 404, code: 'not_found', isRateLimited: false });
});

t.test('a maintenance page with a wrong Retry-After blocked the form for weeks', async (t) => {
  for (const retryAfter of ['Infinity', '2592000', 'Fri, 01 Jan 2100 00:00:00 GMT']) {
    const server = createServer((_request, response) => {
      response.writeHead(503, { 'retry-after': retryAfter }).end('Back soon');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const answer = fetchPowChallenge({ baseUrl: `http://127.0.0.1:${port}` });
    t.match(await answer.catch((error) => error), { status: 503, retryAfterSeconds: 3600 });
  }
});

t.test('a response that broke off counted as a wrong prefix, and was never requested again', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"token":', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const error = await fetchPowChallenge({ baseUrl: `http://127.0.0.1:${port}` }).catch((thrown) => thrown);
  t.ok(error instanceof TypeError, 'as without a response');
});

t.test('an HTML page instead of a challenge is a request error', async (t) => {
  const site = await startStaticSite({
    pages: { '/api/captcha/pow': '<!doctype html>', '/api/captcha': '{"token":1}' },
  });
  t.teardown(site.stop);
  const options = { baseUrl: site.address };
  const message = /The service returned no challenge\. Check the prefix\.$/;
  await t.rejects(fetchPowChallenge(options), {
    name: 'CaptchaRequestError',
    status: 200,
    code: null,
    message,
  });
  await t.rejects(fetchImageChallenge('', options), { status: 200, message });
  await t.rejects(fetchPowChallenge({ ...options, prefix: 'x' }), {
    status: 404,
    code: null,
    retryAfterSeconds: null,
  });
});

t.test('an unknown algorithm is reported clearly', async (t) => {
  const message = 'The service requires the algorithm "sha512", which this version does not support.';
  const challenge = { salt: 'a'.repeat(32), algorithm: 'sha512' };
  await t.rejects(solvePow({ ...challenge, difficulty: 1 }), { message });
  await t.rejects(solveEffort({ ...challenge, parts: 16, part_difficulty: 1 }), { message });
});

t.test('a search gives up after maxHashes, or when it is aborted', async (t) => {
  const challenge = { salt: 'a'.repeat(32), difficulty: 32, algorithm: 'sha256' };
  const error = await solvePow(challenge, { maxHashes: 10_000 }).catch((thrown: unknown) => thrown);
  t.ok(error instanceof PowGaveUpError);
  const effort = { ...challenge, parts: 16, part_difficulty: 32 };
  await t.rejects(solveEffort(effort, { maxHashes: 10_000 }), { name: 'PowGaveUpError' });

  const controller = new AbortController();
  const { signal } = controller;
  const onProgress = () => controller.abort(new Error('enough'));
  await t.rejects(solvePow(challenge, { signal, onProgress, chunkSize: 1_000 }), new Error('enough'));
  await t.rejects(fetchPowChallenge({ baseUrl, signal }), new Error('enough'));
  await t.rejects(fetchPowChallenge({ baseUrl, fetchOptions: { signal } }), new Error('enough'));
});

t.test('fetch options apply to every request', async (t) => {
  const fetchOptions = { headers: { 'Accept-Language': 'fr' } };
  const error = await fetchImageChallenge('none', { baseUrl, fetchOptions }).catch(
    (thrown: unknown) => thrown,
  );
  t.not((error as Error).message, 'Unknown challenge.');
});

t.test('HashWX work, with SHA-256 as the fallback', async (t) => {
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
});
