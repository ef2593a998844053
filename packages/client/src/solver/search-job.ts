// Search of a worker pool: assigns separate nonce ranges to workers until one finds the nonce or all hashes are tried.
import type { PoolWorker } from './pool-worker.js';
import type { SearchReply, SearchTask } from './worker-messages.js';

/** Share of `maxHashes` for one worker. */
interface Batch {
  readonly id: number;
  readonly size: number;
  hashes: number;
}

interface SearchJobOptions {
  readonly task: SearchTask;
  readonly maxHashes: number;
  /** Expected number of workers. */
  readonly workers: number;
  /** Returns a new request id. */
  readonly nextId: () => number;
  /** Called when the first worker starts. */
  readonly onBegin: () => void;
  readonly onHashes: (hashes: number) => void;
  /** @param nonce undefined if all hashes were tried in vain */
  readonly onEnd: (nonce: string | undefined, hashes: number) => void;
}

export interface SearchJob {
  /** Assigns the next batch to a ready and idle worker, if any hashes are left. */
  assign(worker: PoolWorker): void;
  onReply(worker: PoolWorker, reply: SearchReply): void;
  /** Returns the untried hashes of a terminated worker to the others. */
  remove(worker: PoolWorker): void;
}

/** Size of a batch: half the worker's share of the remaining hashes, so that a fast one does not idle at the end. */
const batchesPerWorker = 2;
const smallestBatch = 100_000;
/** A multiple of 4, so that a SIMD kernel tries exactly its batch. */
const batchStep = 1000;

export function startSearchJob(options: SearchJobOptions): SearchJob {
  const { task, workers, nextId, onBegin, onHashes, onEnd } = options;
  const batches = new Map<PoolWorker, Batch>();
  let left = options.maxHashes;
  let ranges = 0;
  /** Hashes of finished batches. */
  let counted = 0;

  const total = () => [...batches.values()].reduce((sum, { hashes }) => sum + hashes, counted);

  function assign(worker: PoolWorker): void {
    if (left <= 0 || worker.path === null || batches.has(worker)) return;
    const share = batchStep * Math.ceil(left / (workers * batchesPerWorker * batchStep));
    const size = Math.min(left, Math.max(smallestBatch, share));
    const id = nextId();
    if (ranges === 0) onBegin();
    left -= size;
    batches.set(worker, { id, size, hashes: 0 });
    worker.send({ ...task, id, range: ranges++, maxHashes: size });
  }

  function endBatch(worker: PoolWorker, batch: Batch): void {
    counted += batch.hashes;
    batches.delete(worker);
  }

  if (left <= 0) onEnd(undefined, 0);
  return {
    assign,
    onReply(worker, { id, hashes, nonce, isDone }) {
      const batch = batches.get(worker);
      if (batch?.id !== id) return;
      batch.hashes = hashes;
      if (nonce !== undefined) return onEnd(nonce, total());
      if (isDone) {
        endBatch(worker, batch);
        assign(worker);
        if (batches.size === 0) return onEnd(undefined, total());
      }
      onHashes(total());
    },
    remove(worker) {
      const batch = batches.get(worker);
      if (batch === undefined) return;
      left += batch.size - batch.hashes;
      endBatch(worker, batch);
    },
  };
}
