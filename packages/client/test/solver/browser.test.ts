// Solver in a real browser, under different content security policies.
import { fileURLToPath } from 'node:url';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { Found, SearchOptions, SearchTask, SolverOptions } from '../../src/solver/solver.js';
import { type StaticSite, startStaticSite } from '../support/static-site.js';
import { zeroBits } from '../support/zero-bits.js';

const sources = fileURLToPath(new URL('../../src/', import.meta.url));
const head = '0123456789abcdef0123456789abcdef';
const hopeless: SearchTask = { head, difficulty: 32 };

let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
});

t.teardown(() => browser?.close());

/** Opens a page with this policy, and records its console warnings. */
async function openSite(
  t: Test,
  policy: string,
  files: Readonly<Record<string, string>> = {},
  within = browser,
): Promise<{ page: Page; site: StaticSite; warnings: string[] }> {
  const site = await startStaticSite({
    folders: { '/client/': sources },
    pages: { '/': '<!doctype html><link rel="icon" href="data:,"><title>Solver</title>', ...files },
    headers: { 'Content-Security-Policy': policy },
  });
  t.teardown(site.stop);
  const warnings: string[] = [];
  const page = await openPage(t, within, 'about:blank', { expectsViolations: true });
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  await page.goto(site.address);
  return { page, site, warnings };
}

/** Searches in the page with a new solver. */
function search(
  page: Page,
  task: SearchTask,
  solverOptions: SolverOptions = {},
  options: Pick<SearchOptions, 'chunkSize' | 'maxHashes'> = {},
): Promise<Found> {
  return page.evaluate(
    async ([task, solverOptions, options]) => {
      const module = '/client/solver/solver.js';
      const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
      const solver = openSolver(solverOptions);
      try {
        return await solver.search(task, options);
      } finally {
        solver.close();
      }
    },
    [task, solverOptions, options] as const,
  );
}

const allowing = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:";

const policies = [
  {
    title: 'a policy that allows WebAssembly: vectors, in a worker',
    policy: allowing,
    state: { path: 'simd', workers: 1, degraded: false },
    warning: null,
  },
  {
    title: 'a policy without WebAssembly: JavaScript, in a worker',
    policy: "default-src 'self'; img-src data:",
    state: { path: 'js', workers: 1, degraded: true },
    warning: /no WebAssembly .*'wasm-unsafe-eval'/,
  },
  {
    title: 'a policy without workers: vectors, on the main thread',
    policy: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; img-src data:",
    state: { path: 'simd', workers: 0, degraded: true },
    warning: /no worker .*worker-src 'self'/,
  },
  {
    title: 'a policy with neither: JavaScript, on the main thread',
    policy: "default-src 'self'; worker-src 'none'; img-src data:",
    state: { path: 'js', workers: 0, degraded: true },
    warning: /no worker .*; no WebAssembly/,
  },
  {
    title: 'a policy that requires Trusted Types and allows ours: vectors, in a worker',
    policy: `${allowing}; require-trusted-types-for 'script'; trusted-types tollgate`,
    state: { path: 'simd', workers: 1, degraded: false },
    warning: null,
  },
  {
    title: 'a policy that requires Trusted Types and allows any: vectors, in a worker',
    policy: `${allowing}; require-trusted-types-for 'script'`,
    state: { path: 'simd', workers: 1, degraded: false },
    warning: null,
  },
  {
    title: 'a policy that requires Trusted Types and allows none: vectors, on the main thread',
    policy: `${allowing}; require-trusted-types-for 'script'; trusted-types 'none'`,
    state: { path: 'simd', workers: 0, degraded: true },
    warning: /no worker .*'trusted-types tollgate'/,
  },
] as const;

for (const { title, policy, state, warning } of policies) {
  t.test(title, async (t) => {
    const { page, warnings } = await openSite(t, policy);
    for (const task of [
      { head, difficulty: 14 },
      { head: `${head}07`, difficulty: 15 },
    ]) {
      const found = await search(page, task);
      t.ok(zeroBits(task.head + found.nonce) >= task.difficulty);
      t.same(found.state, state);
    }
    if (warning !== null) await until(() => warnings.length > 0, 'a warning');
    t.equal(warnings.length, warning === null ? 0 : 1, 'once for both searches');
    if (warning !== null) t.match(warnings[0], warning);
  });
}

const everything = policies[0].policy;

t.test('a processor without SIMD: WebAssembly without SIMD, in a worker', async (t) => {
  const old = await launchBrowser(['--js-flags=--no-enable-sse4-1']);
  t.teardown(() => old.close());
  const { page, warnings } = await openSite(t, everything, {}, old);
  const found = await search(page, { head, difficulty: 14 });
  t.ok(zeroBits(head + found.nonce) >= 14);
  t.same(found.state, { path: 'wasm', workers: 1, degraded: true });
  await until(() => warnings.length > 0, 'a warning');
  t.match(warnings[0], /WebAssembly without SIMD/);
});

t.test('workers share a search, and all hashes count', async (t) => {
  const { page } = await openSite(t, everything);
  const found = await search(page, { head, difficulty: 18 }, { workers: 3 });
  t.ok(zeroBits(head + found.nonce) >= 18);
  t.equal(found.state.path, 'simd');

  const givesUp = search(page, hopeless, { workers: 3 }, { maxHashes: 2_000_000 });
  await t.rejects(givesUp, /PowGaveUpError: No nonce with 32 leading zero bits among 2000000 hashes/);
});

t.test(
  'a page that reports too many cores tries all hashes, despite changing numbers of workers',
  async (t) => {
    const { page } = await openSite(t, everything);
    await page.evaluate(() =>
      Object.defineProperty(navigator, 'hardwareConcurrency', { configurable: true, value: 8 }),
    );
    const givesUp = search(page, hopeless, {}, { maxHashes: 12_000_000 });
    await t.rejects(givesUp, /PowGaveUpError: No nonce with 32 leading zero bits among 12000000 hashes/);
  },
);

t.test('without a hash limit each worker gets one nonce range and keeps it', async (t) => {
  const { page } = await openSite(t, everything);
  const given = await page.evaluate(async (head) => {
    const module = '/client/solver/solver.js';
    const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
    let requests = 0;
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      if (message !== null) requests += 1;
      postMessage.call(this, message);
    };
    const enough = new AbortController();
    const solver = openSolver({ workers: 2 });
    let reports = 0;
    const onProgress = ({ state }: { state: { workers: number } }) => {
      if (state.workers === 2) reports += 1;
      if (reports === 3) enough.abort();
    };
    const options = { maxHashes: Number.POSITIVE_INFINITY, signal: enough.signal, onProgress };
    await solver.search({ head, difficulty: 32 }, options).catch(() => undefined);
    solver.close();
    return requests;
  }, head);
  t.equal(given, 2);
});

t.test('workers are reused by the next search, terminated when idle, and restarted', async (t) => {
  const { page } = await openSite(t, everything);
  await page.clock.install();
  await page.evaluate(async () => {
    const module = '/client/solver/solver.js';
    const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
    Object.assign(globalThis, { solver: openSolver({ workers: 2 }) });
  });
  const searchAgain = (part: string) =>
    page.evaluate(
      (head) =>
        (globalThis as unknown as { solver: import('../../src/solver/solver.js').Solver }).solver.search({
          head,
          difficulty: 12,
        }),
      head + part,
    );
  t.equal(page.workers().length, 0, 'nothing is started before the first search');
  const { nonce } = await searchAgain('00');
  t.ok(zeroBits(`${head}00${nonce}`) >= 12);
  const workers = page.workers();
  t.equal(workers.length, 2);
  await searchAgain('01');
  t.same(page.workers(), workers);

  const ended = Promise.all(workers.map((worker) => worker.waitForEvent('close')));
  await page.clock.fastForward(31_000);
  await ended;
  t.same(page.workers(), []);
  const again = await searchAgain('02');
  t.ok(zeroBits(`${head}02${again.nonce}`) >= 12);
});

t.test('after an aborted search the workers find the next nonce', async (t) => {
  const { page } = await openSite(t, everything);
  const outcome = await page.evaluate(async (head) => {
    const module = '/client/solver/solver.js';
    const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
    const solver = openSolver({ workers: 2 });
    const nonces: string[] = [];
    const reasons: unknown[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const controller = new AbortController();
      const { signal } = controller;
      const onProgress = () => controller.abort('enough');
      await solver
        .search({ head, difficulty: 32 }, { signal, onProgress })
        .catch((reason) => reasons.push(reason));
      nonces.push((await solver.search({ head: `${head}0${turn}`, difficulty: 14 })).nonce);
    }
    solver.close();
    return { nonces, reasons };
  }, head);
  t.same(outcome.reasons, Array(5).fill('enough'));
  for (const [turn, nonce] of outcome.nonces.entries()) t.ok(zeroBits(`${head}0${turn}${nonce}`) >= 14);
});

for (const { title, file } of [
  { title: 'a missing worker file', file: null },
  { title: 'a worker that never responds', file: '' },
  {
    title: 'a worker that fails during its search',
    file: 'onmessage = () => { throw new Error(); }; postMessage({ path: "simd" });',
  },
]) {
  t.test(`${title}: the main thread searches`, async (t) => {
    const { page } = await openSite(t, everything, file === null ? {} : { '/elsewhere.js': file });
    const found = await search(page, { head, difficulty: 12 }, { workers: 2, workerUrl: '/elsewhere.js' });
    t.ok(zeroBits(head + found.nonce) >= 12);
    t.same(found.state, { path: 'simd', workers: 0, degraded: true });
  });
}

t.test('the next search requests a worker file again after it failed to load', async (t) => {
  const { page } = await openSite(t, everything);
  let asked = 0;
  await page.route('**/solver/worker.js', (route) => {
    asked += 1;
    return asked === 1 ? route.abort() : route.continue();
  });
  const states = await page.evaluate(async (head) => {
    const module = '/client/solver/solver.js';
    const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
    const solver = openSolver();
    const first = await solver.search({ head, difficulty: 12 });
    const second = await solver.search({ head: `${head}01`, difficulty: 12 });
    solver.close();
    return [first.state, second.state];
  }, head);
  t.same(states, [
    { path: 'simd', workers: 0, degraded: true },
    { path: 'simd', workers: 1, degraded: false },
  ]);
});

t.test('if three of four worker files fail to load, the search is reported as slower', async (t) => {
  const { page, warnings } = await openSite(t, everything);
  let areLost = () => {};
  const lost = new Promise<void>((resolve) => {
    areLost = resolve;
  });
  let asked = 0;
  await page.route('**/solver/worker.js', async (route) => {
    asked += 1;
    if (asked < 4) return route.abort();
    await lost;
    return route.continue();
  });
  await page.exposeFunction('areLost', areLost);
  const found = await page.evaluate(async (head) => {
    const module = '/client/solver/solver.js';
    const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
    const { areLost } = globalThis as unknown as { areLost(): void };
    let failed = 0;
    const { terminate } = Worker.prototype;
    Worker.prototype.terminate = function (this: Worker) {
      terminate.call(this);
      failed += 1;
      if (failed === 3) areLost();
    };
    const solver = openSolver({ workers: 4 });
    const { state } = await solver.search({ head, difficulty: 12 });
    solver.close();
    return state;
  }, head);
  t.same(found, { path: 'simd', workers: 1, degraded: true });
  await until(() => warnings.length > 0, 'a warning');
  t.equal(warnings.length, 1);
  t.match(warnings[0], /fewer workers than were started/);
});

t.test('a late worker counts as missing until it is ready', async (t) => {
  const { page } = await openSite(t, everything);
  await page.clock.install();
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  await page.route('**/solver/worker.js', async (route) => {
    asked += 1;
    if (asked === 2) await isReleased;
    await route.continue();
  });
  await page.exposeFunction('release', release);
  await page.exposeFunction('wait', () => page.clock.fastForward(6_000));
  const seen = await page.evaluate(async (head) => {
    const module = '/client/solver/solver.js';
    const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
    const { release, wait } = globalThis as unknown as { release(): void; wait(): void };
    const enough = new AbortController();
    const solver = openSolver({ workers: 2 });
    const states: import('../../src/solver/solver.js').SolverState[] = [];
    await solver
      .search(
        { head, difficulty: 32 },
        {
          signal: enough.signal,
          onProgress({ state }) {
            const last = states.at(-1);
            if (state.workers === last?.workers && state.degraded === last.degraded) return;
            states.push(state);
            if (state.workers === 2) enough.abort();
            else if (state.degraded) release();
            else wait();
          },
        },
      )
      .catch(() => undefined);
    solver.close();
    return states;
  }, head);
  t.same(seen, [
    { path: 'simd', workers: 1, degraded: false },
    { path: 'simd', workers: 1, degraded: true },
    { path: 'simd', workers: 2, degraded: false },
  ]);
});

t.test('the main thread searches until a slow worker file has loaded', async (t) => {
  const { page } = await openSite(t, everything);
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/solver/worker.js', async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.exposeFunction('release', release);
  const seen = await page.evaluate(async (head) => {
    const module = '/client/solver/solver.js';
    const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
    const enough = new AbortController();
    const solver = openSolver({ workers: 1 });
    const workers = new Set<number>();
    let hashesBefore = 0;
    let isCounted = true;
    await solver
      .search(
        { head, difficulty: 32 },
        {
          signal: enough.signal,
          onProgress({ hashes, state }) {
            isCounted &&= hashes >= hashesBefore;
            hashesBefore = hashes;
            workers.add(state.workers);
            if (state.workers === 0) (globalThis as unknown as { release(): void }).release();
            else enough.abort();
          },
        },
      )
      .catch(() => undefined);
    solver.close();
    return { workers: [...workers], isCounted };
  }, head);
  t.same(seen, { workers: [0, 1], isCounted: true });
});

t.test('a custom worker URL is used', async (t) => {
  const { page } = await openSite(t, everything, { '/elsewhere.js': "import '/client/solver/worker.js';" });
  const found = await search(page, { head, difficulty: 12 }, { workerUrl: '/elsewhere.js' });
  t.same(found.state, { path: 'simd', workers: 1, degraded: false });
});

t.test('on the main thread the page has a turn after each chunk', async (t) => {
  const { page } = await openSite(t, policies[3].policy);
  const chunkSize = 10_000;
  const maxHashes = 1_000_000;
  const seen = await page.evaluate(
    async ([task, options]) => {
      const module = '/client/solver/solver.js';
      const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
      let turns = 0;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        turns++;
        port2.postMessage(null);
      };
      port2.postMessage(null);
      const solver = openSolver();
      await solver.search(task, options).catch(() => undefined);
      port1.close();
      return { turns, workers: solver.state?.workers };
    },
    [hopeless, { chunkSize, maxHashes }] as const,
  );
  t.equal(seen.workers, 0);
  t.ok(seen.turns >= maxHashes / chunkSize, `${seen.turns} turns`);
});
