// Searches one unit at a time, in slices short enough to stop quickly.
import { pause } from '../range-search.js';
import { type FunctionMaker, openFunctionMaker, type Scan } from './function-maker.js';
import type { UnitReply, UnitRequest } from './messages.js';

/** Small enough for code that the browser has not yet optimised. */
const firstSlice = 512;
/** Engines replace slow code with fast code between two calls, so a slice must be smaller than the block. */
const mostPerSlice = 8192;
const mostGrowth = 4;

interface UnitSearchOptions {
  /** Maximum slice duration in milliseconds. */
  readonly sliceMs: number;
  readonly reply: (message: UnitReply) => void;
  readonly openMaker?: () => Promise<FunctionMaker>;
}

/** @returns a function that takes the next request, which replaces the current one; null stops the search */
export function createUnitSearch({
  sliceMs,
  reply,
  openMaker = openFunctionMaker,
}: UnitSearchOptions): (request: UnitRequest | null) => void {
  let current: UnitRequest | null = null;
  let maker: Promise<FunctionMaker> | undefined;
  /** Previous search, which may still make or run its function. */
  let last: Promise<void> = Promise.resolve();

  async function search(request: UnitRequest): Promise<void> {
    const { id, salt, part, block, nonces } = request;
    maker ??= openMaker();
    const opened = await maker.catch(() => null);
    if (opened === null) return reply({ id, hashes: 0, mode: null });
    if (current !== request) return;
    const { scan, isCompiled } = await opened.make(salt, part, block);
    const mode = isCompiled ? 'compiled' : 'interpreted';
    const pauses = new MessageChannel();
    try {
      let size = firstSlice;
      for (let from = 0; from < nonces; ) {
        if (current !== request) return;
        const startedMs = performance.now();
        const count = Math.min(size, nonces - from);
        const found = scanFrom(scan, request, from, count);
        if (found >= 0)
          return reply({ id, hashes: from + found + 1, found: block * nonces + from + found, mode });
        from += count;
        reply({ id, hashes: from, mode, ...(from === nonces ? { isDone: true } : {}) });
        const growth = Math.min(mostGrowth, sliceMs / Math.max(performance.now() - startedMs, 0.01));
        size = Math.min(mostPerSlice, Math.max(1, Math.floor(size * growth)));
        await pause(pauses);
      }
    } finally {
      pauses.port1.close();
    }
  }

  return (request) => {
    current = request;
    // One after the other: an interpreted function occupies the static module.
    if (request !== null) last = last.then(() => search(request));
  };
}

function scanFrom(scan: Scan, request: UnitRequest, from: number, count: number): number {
  const { block, nonces, partHashes } = request;
  return scan(BigInt(block * nonces + from), count, 2n ** 64n / BigInt(partHashes));
}
