// Number of workers of a search, by their speed-up.
import t from 'tap';
import { createWorkerRamp } from '../../src/solver/worker-ramp.js';

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
