// Runs in a thread of its own, because the client remembers for its page that WebAssembly is refused.
import { parentPort, workerData } from 'node:worker_threads';
import { obtainPow } from '@tollgate/client/challenge';

/** What the thread answers. */
export interface Obtained {
  /** The fields of two proofs of work, obtained one after the other. */
  readonly fields: readonly Record<string, string>[];
  /** The paths that were requested, with their queries. */
  readonly requested: readonly string[];
}

const requested: string[] = [];
const { fetch } = globalThis;
// The first request compiles the parser that Node itself has for the answers.
await (await fetch(workerData.baseUrl)).arrayBuffer();
globalThis.fetch = (input, init) => {
  const { pathname, search } = new URL(String(input));
  requested.push(pathname + search);
  return fetch(input, init);
};
const refuse: unknown = () => Promise.reject(new WebAssembly.CompileError('refused by a policy'));
WebAssembly.instantiate = refuse as typeof WebAssembly.instantiate;
const fields = [await obtainPow(workerData), await obtainPow(workerData)];
parentPort?.postMessage({ fields, requested } satisfies Obtained);
