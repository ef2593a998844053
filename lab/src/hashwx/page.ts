// Runs in a browser: HashWX rates in one worker, and complete searches of the client.
import { type HashwxTask, openSolver, type SearchTask } from '@tollgate/client/challenge';
import type { RateOrder, WorkerRate } from './rate-worker.js';

let ended: unknown;

const hexDigits = (digits: number) =>
  Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('');

const bench = {
  /** The result of the last job; undefined while it runs. */
  get ended() {
    return ended;
  },

  /** Hashes in a separate worker, with one function after the other. */
  rate(order: RateOrder): void {
    run(async () => {
      const worker = new Worker(new URL('./rate-worker.js', import.meta.url), { type: 'module' });
      const rate = await new Promise<WorkerRate>((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<WorkerRate>) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(order);
      });
      worker.terminate();
      return rate;
    });
  },

  /**
   * Solves challenges as a form does, each with a fresh solver.
   * @returns milliseconds from the first call to the solution, scaled to the mean work
   */
  solve(
    difficulty: number,
    hashwx: Pick<HashwxTask, 'part_hashes' | 'nonces_per_function'> | null,
    times: number,
  ): void {
    run(async () => {
      const ms: number[] = [];
      for (let i = 0; i < times; i++) {
        const task: SearchTask | HashwxTask =
          hashwx === null
            ? { head: hexDigits(32), difficulty }
            : { algorithm: 'hashwx-1', salt: hexDigits(64), difficulty, parts: 4, ...hashwx };
        const solver = openSolver();
        const startedMs = performance.now();
        const found = await solver.search(task);
        const totalMs = performance.now() - startedMs;
        solver.close();
        ms.push(totalMs - found.ms + found.ms * (2 ** difficulty / found.hashes));
      }
      return ms;
    });
  },
};
export type Bench = typeof bench;
Object.assign(globalThis, { bench });

function run(work: () => Promise<unknown>): void {
  ended = undefined;
  work().then(
    (value) => {
      ended = { value };
    },
    (error: unknown) => {
      ended = { error: String(error) };
    },
  );
}
