// What a page and its workers say to each other.
import type { SearchTask, SolverPath } from './solver-state.js';

/** From the page: try a lane, whatever was tried before; `null` means nothing. */
export type WorkerRequest = LaneRequest | null;

export interface LaneRequest extends SearchTask {
  /** Of its own for each request; comes back with every reply. */
  readonly id: number;
  readonly lane: number;
  readonly maxHashes: number;
}

/** From a worker: it is ready, or how far it is in a lane. */
export type WorkerReply = ReadyReply | LaneReply;

export interface ReadyReply {
  readonly path: SolverPath;
}

export interface LaneReply {
  readonly id: number;
  /** Tried in this lane so far. */
  readonly hashes: number;
  readonly nonce?: string;
  /** All hashes of the request were tried in vain. */
  readonly isDone?: true;
}
