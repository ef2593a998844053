// Searches on the main thread without workers, in chunks too short to block the page.
import type { UnitReply, UnitRequest } from './hashwx/messages.js';
import { createUnitSearch } from './hashwx/unit-search.js';
import { openFastestKernel } from './kernels/open-kernel.js';
import type { PoolWorker, WorkerEvents } from './pool-worker.js';
import { createRangeSearch } from './range-search.js';

/** Half a frame. */
const sliceMs = 8;
let kernel: ReturnType<typeof openFastestKernel> | undefined;

/** @param chunkSize maximum hashes per chunk */
export async function openMainThreadFallback(
  chunkSize: number,
  { onReply }: Pick<WorkerEvents, 'onReply'>,
): Promise<PoolWorker> {
  kernel ??= openFastestKernel();
  const opened = await kernel;
  const send = createRangeSearch(opened, { sliceMs, mostPerSlice: chunkSize }, (reply) =>
    onReply(fallback, reply),
  );
  const fallback: PoolWorker = { path: opened.path, isLate: false, send, terminate: () => send(null) };
  return fallback;
}

/** The same for HashWX units. */
export function openMainThreadUnits(
  onReply: (worker: PoolWorker<UnitRequest>, reply: UnitReply) => void,
): PoolWorker<UnitRequest> {
  const send = createUnitSearch({ sliceMs, reply: (reply) => onReply(units, reply) });
  const units: PoolWorker<UnitRequest> = {
    // Ready at once; the first unit shows whether WebAssembly is available.
    path: 'wasm',
    isLate: false,
    send,
    terminate: () => send(null),
  };
  return units;
}
