// Searches one nonce range at a time, in slices short enough to keep the thread responsive.
import type { Kernel } from './kernel.js';
import { type NonceRange, openNonceRange } from './nonce-range.js';
import type { SearchReply, SearchRequest } from './worker-messages.js';

interface SliceLimits {
  readonly sliceMs: number;
  /** Maximum hashes per slice at any speed; unlimited by default. */
  readonly mostPerSlice?: number;
}

interface SliceOptions extends Required<SliceLimits> {
  /** Hash limit, exact to 4 hashes. */
  readonly maxHashes: number;
  /** Called before each slice; false ends the search. */
  readonly isWanted: () => boolean;
  /** Called after each slice without a nonce. */
  readonly onHashes: (hashes: number) => void;
  /** @returns whether the speed of the next slice differs */
  readonly onSlice: (hashes: number, ms: number) => boolean | undefined;
}

/** Small enough for code that the browser has not yet optimised. */
const firstSlice = 200;
const mostGrowth = 4;

/** @returns a function that takes the next request, which replaces the current one */
export function createRangeSearch(
  kernel: Kernel,
  limits: SliceLimits,
  reply: (message: SearchReply) => void,
): (request: SearchRequest | null) => void {
  let current: SearchRequest | null = null;

  async function searchRange(request: SearchRequest): Promise<void> {
    const { id, range: index, maxHashes } = request;
    const range = openNonceRange(kernel, request, index);
    const nonce = await searchInSlices(range, {
      mostPerSlice: maxHashes,
      ...limits,
      maxHashes,
      isWanted: () => current === request,
      onHashes: (hashes) => reply({ id, hashes }),
      onSlice: (hashes, ms) => kernel.onSlice?.(hashes, ms),
    });
    if (current !== request) return;
    current = null;
    if (nonce !== undefined) reply({ id, hashes: range.hashes, nonce });
    else reply({ id, hashes: range.hashes, isDone: true });
  }

  return (request) => {
    current = request;
    if (request !== null) void searchRange(request);
  };
}

/** @returns the nonce; undefined if there is none within `maxHashes`, or if the search was stopped */
async function searchInSlices(range: NonceRange, options: SliceOptions): Promise<string | undefined> {
  const { sliceMs, mostPerSlice, maxHashes, isWanted, onHashes, onSlice } = options;
  const pauses = new MessageChannel();
  let size = Math.min(firstSlice, mostPerSlice);
  try {
    // Checked after the pause, because another range may have prepared the kernel.
    while (range.hashes < maxHashes && isWanted()) {
      const before = range.hashes;
      const startedMs = performance.now();
      const nonce = range.search(Math.min(size, maxHashes - range.hashes));
      if (nonce !== undefined) return nonce;
      const tookMs = performance.now() - startedMs;
      onHashes(range.hashes);
      const isOtherSpeed = onSlice(range.hashes - before, tookMs);
      const growth = Math.min(mostGrowth, sliceMs / Math.max(tookMs, 0.01));
      const grown = isOtherSpeed ? firstSlice : Math.max(1, Math.floor(size * growth));
      size = Math.min(mostPerSlice, grown);
      await pause(pauses);
    }
    return undefined;
  } finally {
    pauses.port1.close();
  }
}

/** Lets every waiting task run first. A timer would wait 4 ms or more each time. */
export function pause({ port1, port2 }: MessageChannel): Promise<void> {
  return new Promise((resolve) => {
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}
