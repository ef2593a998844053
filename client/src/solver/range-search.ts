// Searches a lane in slices of time, so that the thread stays free for whatever else it has to do.
import type { Lane } from './nonce-range.js';

export interface SliceOptions {
  /** How long a slice may take, ms. */
  readonly sliceMs: number;
  /** The most hashes in a slice, however fast they are. */
  readonly mostPerSlice: number;
  /** Where the search ends, within 4 hashes. */
  readonly maxHashes: number;
  /** Asked before each slice. */
  readonly isWanted: () => boolean;
  /** Called after each slice without a nonce. */
  readonly onHashes: (hashes: number) => void;
}

/** Small enough for code that the browser has not optimised yet. */
const firstSlice = 200;
const mostGrowth = 4;

/** @returns the nonce, or nothing when there was none within `maxHashes` or the search was told to end */
export async function searchInSlices(lane: Lane, options: SliceOptions): Promise<string | undefined> {
  const { sliceMs, mostPerSlice, maxHashes, isWanted, onHashes } = options;
  const pauses = new MessageChannel();
  let size = Math.min(firstSlice, mostPerSlice);
  try {
    // Asked after the pause: meanwhile another lane may have prepared the kernel for itself.
    while (lane.hashes < maxHashes && isWanted()) {
      const startedMs = performance.now();
      const nonce = lane.search(Math.min(size, maxHashes - lane.hashes));
      if (nonce !== undefined) return nonce;
      onHashes(lane.hashes);
      const tookMs = performance.now() - startedMs;
      const growth = Math.min(mostGrowth, sliceMs / Math.max(tookMs, 0.01));
      size = Math.min(mostPerSlice, Math.max(1, Math.floor(size * growth)));
      await pause(pauses);
    }
    return undefined;
  } finally {
    pauses.port1.close();
  }
}

/** Lets every waiting task run first. A timer would wait 4 ms and more each time. */
function pause({ port1, port2 }: MessageChannel): Promise<void> {
  return new Promise((resolve) => {
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}
