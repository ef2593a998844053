// HashWX in a real browser: in workers, on the main thread, without WebAssembly, and in the prebuilt file.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { solvesHashwx, warmHashwx } from '@tollgate/shared/pow';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { Found, HashwxTask, SearchProgress, SolverOptions } from '../../src/solver/solver.js';
import { startStaticSite } from '../support/static-site.js';

const built = fileURLToPath(new URL('../../', import.meta.url));
const allowing = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:";
const withoutWorkers = `${allowing}; worker-src 'none'`;

const task: HashwxTask = {
  algorithm: 'hashwx-1',
  difficulty: 18,
  salt: '00112233445566778899aabbccddeeff'.repeat(2),
  parts: 4,
  part_hashes: 600,
  nonces_per_function: 1024,
};
const hopeless: HashwxTask = { ...task, difficulty: 40, part_hashes: 2 ** 32, nonces_per_function: 65_536 };

let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
});

t.teardown(() => browser?.close());

async function openSite(t: Test, policy: string): Promise<Page> {
  const site = await startStaticSite({
    folders: { '/client/': built },
    pages: { '/': '<!doctype html><link rel="icon" href="data:,"><title>HashWX</title>' },
    headers: { 'Content-Security-Policy': policy },
  });
  t.teardown(site.stop);
  return openPage(t, browser, site.address, { expectsViolations: true });
}

interface Searched {
  readonly found?: Found;
  readonly error?: string;
  readonly progress: readonly SearchProgress[];
}

function search(
  page: Page,
  wanted: HashwxTask,
  {
    module = '/client/src/solver/solver.js',
    maxHashes,
    ...solver
  }: SolverOptions & { module?: string; maxHashes?: number } = {},
): Promise<Searched> {
  return page.evaluate(
    async ([module, solver, task, maxHashes]) => {
      const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
      const opened = openSolver(solver);
      const progress: SearchProgress[] = [];
      try {
        const options = { maxHashes, onProgress: (now: SearchProgress) => progress.push(now) };
        return { found: await opened.search(task, options), progress };
      } catch (error) {
        return { error: (error as Error).name, progress };
      } finally {
        opened.close();
      }
    },
    [module, solver, wanted, maxHashes] as const,
  );
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function isSolved({ found }: Searched): boolean {
  const { salt: seed, part_hashes: partDifficulty, nonces_per_function: noncesPerFunction } = task;
  const solution = found?.nonce ?? '';
  return solvesHashwx(warmHashwx(), sha256, { seed, partDifficulty, noncesPerFunction }, solution);
}

t.test('in a worker, with a module for each function', async (t) => {
  const page = await openSite(t, allowing);
  const searched = await search(page, task);
  t.ok(isSolved(searched));
  t.same(searched.found?.state, { path: 'compiled', workers: 1, degraded: false });
  await until(() => page.workers().length === 0, 'the workers ended');
  t.pass('the worker ended');
});

t.test('in several workers', async (t) => {
  const page = await openSite(t, allowing);
  const searched = await search(page, task, { workers: 3 });
  t.ok(isSolved(searched));
  t.equal(searched.found?.state.path, 'compiled');
});

for (const [title, policy, options] of [
  ['on the main thread, if the policy blocks workers', withoutWorkers, {}],
  ['on the main thread, if the page requests it', allowing, { workers: 0 }],
] as const) {
  t.test(title, async (t) => {
    const searched = await search(await openSite(t, policy), task, options);
    t.ok(isSolved(searched));
    t.same(searched.found?.state, { path: 'compiled', workers: 0, degraded: true });
  });
}

t.test('without WebAssembly the search fails at once, with workers and without', async (t) => {
  const policy = "default-src 'self'; img-src data:";
  t.equal((await search(await openSite(t, policy), task)).error, 'HashwxUnavailableError');
  const page = await openSite(t, `${policy}; worker-src 'none'`);
  t.equal((await search(page, task)).error, 'HashwxUnavailableError');
});

t.test('the prebuilt file', async (t) => {
  const page = await openSite(t, allowing);
  const searched = await search(page, task, { module: '/client/tollgate.js' });
  t.ok(isSolved(searched));
  t.same(searched.found?.state, { path: 'compiled', workers: 1, degraded: false });
});

t.test('a search gives up after maxHashes, and reports its progress until then', async (t) => {
  const page = await openSite(t, allowing);
  // A hash costs 2^40 / 2^34.
  const { error, progress } = await search(page, hopeless, { workers: 1, maxHashes: 64 * 300_000 });
  t.equal(error, 'PowGaveUpError');
  t.ok(progress.length > 0);
  for (const { hashes, chance } of progress)
    t.ok(hashes > 0 && chance !== undefined && chance >= 0 && chance < 1);
});

t.test('invalid tasks are rejected', async (t) => {
  const page = await openSite(t, allowing);
  t.equal((await search(page, { ...task, algorithm: 'hashwx-2' })).error, 'TypeError');
  for (const wrong of [
    { salt: '00' },
    { parts: 0 },
    { part_hashes: 1 },
    { part_hashes: Number.NaN },
    { nonces_per_function: 65_537 },
    { difficulty: 0.5 },
  ]) {
    t.equal((await search(page, { ...task, ...wrong })).error, 'RangeError', JSON.stringify(wrong));
  }
});

for (const workers of [2, 0]) {
  t.test(`an abort with ${workers} workers ends the search and the workers`, async (t) => {
    const page = await openSite(t, allowing);
    const ended = await page.evaluate(
      async ([task, workers]) => {
        const module = '/client/src/solver/solver.js';
        const { openSolver } = (await import(module)) as typeof import('../../src/solver/solver.js');
        const solver = openSolver({ workers });
        const abort = new AbortController();
        let reports = 0;
        const search = solver.search(task, {
          signal: abort.signal,
          onProgress() {
            reports++;
            abort.abort(new Error('enough'));
          },
        });
        const message = await search.catch((error: Error) => error.message);
        const reported = reports;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return { message, isSilent: reports === reported };
      },
      [hopeless, workers] as const,
    );
    t.same(ended, { message: 'enough', isSilent: true });
    await until(() => page.workers().length === 0, 'the workers ended');
  });
}
