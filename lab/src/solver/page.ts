// Runs in the browser: contenders in workers, and the first challenge of a new solver.
import { openSolver } from '@tollgate/client/challenge';
import friendlyWorkerUrl from 'friendly-challenge/worker.min.js?url';

/** One worker of a contender. */
interface Hasher {
  /** @returns the number of hashes */
  run(ms: number): Promise<number>;
  end(): void;
}

export interface FirstSolve {
  /** Until the first message of a worker. */
  readonly startMs: number;
  /** Until the nonce is found. */
  readonly solvedMs: number;
}

const warmUpMs = 500;
let hashers: Hasher[] = [];

const bench = {
  cores: navigator.hardwareConcurrency,

  /** Starts the workers, and gives the browser time to optimise. */
  async open(name: string, workers: number): Promise<void> {
    const open = name === 'friendly-challenge' ? openFriendly : () => openContender(name);
    hashers = await Promise.all(Array.from({ length: workers }, open));
    await bench.run(warmUpMs, 1);
  },

  /** @returns millions of hashes per second over all workers, in each of `slices` slices of `ms` */
  async run(ms: number, slices: number): Promise<number[]> {
    const rates: number[] = [];
    while (rates.length < slices) {
      const startedMs = performance.now();
      const hashes = await Promise.all(hashers.map((hasher) => hasher.run(ms)));
      const tookMs = performance.now() - startedMs;
      rates.push(hashes.reduce((sum, count) => sum + count) / tookMs / 1_000);
    }
    return rates;
  },

  close(): void {
    for (const hasher of hashers) hasher.end();
    hashers = [];
  },

  async firstSolve(head: string, difficulty: number): Promise<FirstSolve> {
    const solver = openSolver();
    const startedMs = performance.now();
    await solver.search({ head, difficulty: 1 });
    const startMs = performance.now() - startedMs;
    await solver.search({ head, difficulty });
    const solvedMs = performance.now() - startedMs;
    solver.close();
    return { startMs, solvedMs };
  },
};
export type Bench = typeof bench;
Object.assign(globalThis, { bench });

async function openContender(name: string): Promise<Hasher> {
  const worker = new Worker(new URL('./contender-worker.js', import.meta.url), { type: 'module' });
  const ask = (message: string | number) => {
    worker.postMessage(message);
    return answerOf<number>(worker);
  };
  await ask(name);
  return { run: ask, end: () => worker.terminate() };
}

/** Opens a contender with BLAKE2b instead of SHA-256, in the worker of its package. */
async function openFriendly(): Promise<Hasher> {
  const worker = new Worker(friendlyWorkerUrl);
  worker.postMessage({ type: 'solver' });
  await answerOf(worker);
  return {
    async run(ms) {
      const endMs = performance.now() + ms;
      let hashes = 0;
      while (performance.now() < endMs) {
        const puzzleSolverInput = crypto.getRandomValues(new Uint8Array(128)).fill(0, 120);
        worker.postMessage({ type: 'start', puzzleSolverInput, threshold: 2 ** 18 });
        await answerOf(worker);
        hashes += (await answerOf<{ h: number }>(worker)).h;
      }
      return hashes;
    },
    end: () => worker.terminate(),
  };
}

function answerOf<T>(worker: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<T>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
}
