// The duration of a HashWX check in this process.
import { createHash, randomBytes } from 'node:crypto';
import { solvesHashwx, warmHashwx } from '@tollgate/shared/pow';

/** Short samples, so that some are undisturbed even on a busy machine. */
const CHECKS = 100;
const SAMPLES = 100;

/** Times calls. A busy machine only slows them down, so the minimum is the least disturbed sample. */
export function microseconds(work: (i: number) => unknown): number[] {
  return Array.from({ length: SAMPLES }, () => {
    const startedMs = performance.now();
    for (let i = 0; i < CHECKS; i++) work(i);
    return ((performance.now() - startedMs) / CHECKS) * 1000;
  });
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** Returns a function that checks the solution of one of several challenges, with all four parts correct. */
export function openPassingCheck(): (i: number) => boolean {
  const hashwx = warmHashwx();
  // With difficulty 2, each part passes half of the time: a solution of all four is quickly found, and others end earlier.
  const tasks = Array.from({ length: 64 }, () => {
    const task = { seed: randomBytes(32).toString('hex'), partDifficulty: 2, noncesPerFunction: 65_536 };
    for (let i = 0; ; i++) {
      const solution = [0, 1, 2, 3].map((part) => (i >> (2 * part)) & 3).join('.');
      if (i > 255 || solvesHashwx(hashwx, sha256, task, solution)) return { task, solution };
    }
  }).filter(({ task, solution }) => solvesHashwx(hashwx, sha256, task, solution));
  return (i) => {
    const { task, solution } = tasks[i % tasks.length]!;
    return solvesHashwx(hashwx, sha256, task, solution);
  };
}
