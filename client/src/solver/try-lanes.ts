// Tries the lanes that it is given, one at a time: in a worker, or on the page's own thread.
import type { Kernel } from './kernel.js';
import { openLane } from './nonce-range.js';
import { type SliceOptions, searchInSlices } from './range-search.js';
import type { LaneReply, LaneRequest, WorkerRequest } from './worker-messages.js';

export type LaneLimits = Pick<SliceOptions, 'sliceMs'> & Partial<Pick<SliceOptions, 'mostPerSlice'>>;

/** @returns takes the next request, whatever was tried before */
export function tryLanes(
  kernel: Kernel,
  limits: LaneLimits,
  reply: (message: LaneReply) => void,
): (request: WorkerRequest) => void {
  let current: WorkerRequest = null;

  async function tryLane(request: LaneRequest): Promise<void> {
    const { id, lane, maxHashes } = request;
    const row = openLane(kernel, request, lane);
    const nonce = await searchInSlices(row, {
      mostPerSlice: maxHashes,
      ...limits,
      maxHashes,
      isWanted: () => current === request,
      onHashes: (hashes) => reply({ id, hashes }),
    });
    if (current !== request) return;
    current = null;
    if (nonce !== undefined) reply({ id, hashes: row.hashes, nonce });
    else reply({ id, hashes: row.hashes, isDone: true });
  }

  return (request) => {
    current = request;
    if (request !== null) void tryLane(request);
  };
}
