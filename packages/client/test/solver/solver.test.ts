// Solver without workers, in Node: its contract, one search after another; and the number of workers of a search.
import fc from 'fast-check';
import t from 'tap';
import { openSolver, type SearchProgress } from '../../src/solver/solver.js';
import { createWorkerRamp } from '../../src/solver/worker-ramp.js';
import { zeroBits } from '../support/zero-bits.js';

const head = '0123456789abcdef0123456789abcdef';
/** A task whose nonce is practically never found. */
const hopeless = { head, difficulty: 32 };
const state = { path: 'simd', workers: 0, degraded: true };

/** Runs a ramp on a device with these total hashes per millisecond. @returns each number of workers */
function countsOn(rateOf: (workers: number) => number, most: number): number[] {
  const counts = [Math.min(2, most)];
  const ramp = createWorkerRamp(counts[0] as number, most, (count) => counts.push(count));
  let hashes = 0;
  for (let ms = 0; ms < 3_000; ms += 20) {
    const workers = counts.at(-1) as number;
    hashes += 20 * rateOf(workers);
    ramp(hashes, ms, workers);
  }
  return counts;
}

t.test('finds a nonce for every head and reports the solver state', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  t.equal(solver.state, null);
  await fc.assert(
    fc.asyncProperty(
      fc.stringMatching(/^[0-9a-f]{32}$/),
      fc.constantFrom('', '00', '15'),
      fc.integer({ min: 1, max: 14 }),
      async (salt, part, difficulty) => {
        const found = await solver.search({ head: salt + part, difficulty });
        t.match(found.nonce, /^[1-9]\d{0,23}$/);
        t.ok(zeroBits(salt + part + found.nonce) >= difficulty);
        t.same(found.state, state);
        t.ok(found.hashes > 0 && found.ms >= 0);
      },
    ),
    { numRuns: 25 },
  );
  t.same(solver.state, state);
});

t.test('gives up after maxHashes', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  await t.rejects(solver.search(hopeless, { maxHashes: 100_000 }), {
    name: 'PowGaveUpError',
    hashes: 100_000,
    difficulty: 32,
  });
  await t.rejects(solver.search(hopeless, { maxHashes: 0 }), { name: 'PowGaveUpError', hashes: 0 });
});

t.test('stops when the signal aborts, with its reason', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  const reason = new Error('the form is gone');
  await t.rejects(solver.search(hopeless, { signal: AbortSignal.abort(reason) }), reason);

  const controller = new AbortController();
  const search = solver.search(hopeless, {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  });
  await t.rejects(search, reason);
});

t.test('an aborted search does not disturb the next one', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  for (let turn = 0; turn < 5; turn++) {
    const controller = new AbortController();
    const aborted = solver.search(hopeless, {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await t.rejects(aborted, { name: 'AbortError' });
    const { nonce } = await solver.search({ head: `${head}0${turn}`, difficulty: 14 });
    t.ok(zeroBits(`${head}0${turn}${nonce}`) >= 14);
  }
});

t.test('several forms of a page search at the same time, each for its own nonce', async (t) => {
  const found = await Promise.all(
    Array.from({ length: 12 }, async (_, form) => {
      const solver = openSolver();
      t.teardown(solver.close);
      const own = head + String(form).padStart(2, '0');
      const { nonce } = await solver.search({ head: own, difficulty: 15 });
      return zeroBits(own + nonce);
    }),
  );
  for (const bits of found) t.ok(bits >= 15, `${bits} zero bits`);
});

t.test('a HashWX search aborted while its file was loading hung the solver for good', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  const task = {
    algorithm: 'hashwx-1',
    difficulty: 8,
    salt: head.repeat(2),
    parts: 2,
    part_hashes: 4,
    nonces_per_function: 64,
  };
  // At the first search the file is not loaded yet.
  for (let turns = 0; turns < 20; turns++) {
    const abort = new AbortController();
    const search = solver.search({ ...task, part_hashes: 2 ** 32 }, { signal: abort.signal });
    for (let turn = 0; turn < turns; turn++) await null;
    abort.abort(new Error(`after ${turns} turns`));
    await t.rejects(search, { message: `after ${turns} turns` });
  }
  t.match((await solver.search(task)).nonce, /^\d+\.\d+$/);
});

t.test('searches take turns, and a waiting one can be aborted', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  const ended: string[] = [];
  const note = (name: string) => (error: Error) => ended.push(`${name}: ${error.name}`);
  const controller = new AbortController();
  const first = solver.search(hopeless, { maxHashes: 1_000_000 }).catch(note('first'));
  const second = solver.search(hopeless, { signal: controller.signal }).catch(note('second'));
  const third = solver.search({ head, difficulty: 8 });
  controller.abort();
  await Promise.all([first, second]);
  t.same(ended, ['second: AbortError', 'first: PowGaveUpError']);
  t.ok(zeroBits(head + (await third).nonce) >= 8);
});

t.test('reports its progress, at most ten times a second', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  const seen: SearchProgress[] = [];
  await t.rejects(
    solver.search(hopeless, { maxHashes: 5_000_000, onProgress: (progress) => seen.push(progress) }),
  );
  for (const [index, { hashes, ms, state: now }] of seen.entries()) {
    t.ok(ms >= 100 * (index + 1));
    t.ok(hashes > (seen[index - 1]?.hashes ?? 0));
    t.same(now, state);
  }
});

t.test('a closed solver aborts its search and starts no other', async (t) => {
  const solver = openSolver();
  const searches = [solver.search(hopeless), solver.search(hopeless)];
  solver.close();
  for (const search of searches) await t.rejects(search, { name: 'AbortError' });
  await t.rejects(solver.search(hopeless), { name: 'AbortError', message: 'The solver is closed.' });
});

t.test('rejects invalid tasks', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  for (const task of [
    { head: head.slice(1), difficulty: 16 },
    { head: `${head}000`, difficulty: 16 },
    { head: `${head.slice(1)}é`, difficulty: 16 },
    { head, difficulty: 0 },
    { head, difficulty: 33 },
    { head, difficulty: 16.5 },
  ]) {
    await t.rejects(solver.search(task), RangeError);
  }
  for (const options of [
    { maxHashes: Number.NaN },
    { maxHashes: -1 },
    { chunkSize: Number.NaN },
    { chunkSize: -1 },
    { chunkSize: 0 },
  ]) {
    await t.rejects(solver.search({ head, difficulty: 8 }, options), RangeError);
  }
});

t.test('a listener that throws does not stop the search', async (t) => {
  const solver = openSolver();
  t.teardown(solver.close);
  const thrown: unknown[] = [];
  const [failing] = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => thrown.push(error));
  const onProgress = () => {
    throw new Error('a mistake of the page');
  };
  await t.rejects(solver.search(hopeless, { maxHashes: 5_000_000, onProgress }), { name: 'PowGaveUpError' });
  process.removeAllListeners('uncaughtException');
  if (failing) process.on('uncaughtException', failing);
  t.match(thrown[0], { message: 'a mistake of the page' }, 'and the error is reported');
});

t.test('workers are doubled while this is faster, and removed again when it is not', async (t) => {
  t.same(
    countsOn((workers) => 1_000 * workers, 8),
    [2, 4, 8],
    'eight cores',
  );
  t.same(
    countsOn((workers) => 1_000 * Math.min(workers, 2), 8),
    [2, 4, 2],
    'two cores that report eight',
  );
  t.same(
    countsOn((workers) => 1_000 * Math.min(workers, 4), 8),
    [2, 4, 8, 4],
    'four cores that report eight',
  );
  t.same(
    countsOn((workers) => 1_000 * workers, 6),
    [2, 4, 6],
    'six cores',
  );
  t.same(
    countsOn((workers) => 1_000 * Math.min(workers, 4), 6),
    [2, 4, 6, 4],
    'four cores that report six',
  );
  t.same(
    countsOn(() => 1_000, 2),
    [2],
    'nothing to decide',
  );
  t.same(
    countsOn(() => 1_000, 1),
    [1],
  );
});

t.test('workers that have not started are not measured', async (t) => {
  const counts: number[] = [];
  const ramp = createWorkerRamp(2, 8, (count) => counts.push(count));
  for (let ms = 0; ms < 1_000; ms += 20) ramp(ms * 1_000, ms, 1);
  t.same(counts, []);
});
