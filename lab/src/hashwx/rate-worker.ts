// Runs in a worker: hashes with one function after the other, compiled or interpreted.
import { openFunctionMaker } from '#client/solver/hashwx/function-maker.js';

export interface RateOrder {
  /** Nonces of a function. */
  readonly nonces: number;
  readonly isCompiled: boolean;
  readonly ms: number;
}

export interface WorkerRate {
  readonly hashes: number;
  readonly functions: number;
  readonly ms: number;
}

/** As in the client's search. */
const slice = 8192;

self.onmessage = async ({ data: { nonces, isCompiled, ms } }: MessageEvent<RateOrder>) => {
  const refuse = () => Promise.reject(new Error('interpreted'));
  const maker = await openFunctionMaker(isCompiled ? undefined : refuse);
  const startedMs = performance.now();
  let hashes = 0;
  let functions = 0;
  while (performance.now() - startedMs < ms) {
    const { scan } = await maker.make('00'.repeat(32), 0, functions++);
    for (let from = 0; from < nonces; from += slice) {
      const count = Math.min(slice, nonces - from);
      scan(BigInt(from), count, 0n);
      hashes += count;
    }
  }
  postMessage({ hashes, functions, ms: performance.now() - startedMs } satisfies WorkerRate);
};
