// Runs in a separate thread, because the client remembers per page that WebAssembly is blocked.
import { parentPort, workerData } from 'node:worker_threads';
import { obtainPow } from '@tollgate/client/challenge';

/** Result of the thread. */
export interface Obtained {
  /** Fields of two proofs of work, obtained one after the other. */
  readonly fields: readonly Record<string, string>[];
  /** Requested paths with their queries. */
  readonly requested: readonly string[];
}

const requested: string[] = [];
const { fetch } = globalThis;
// The first request compiles Node's own response parser.
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
