// Messages between a page and its workers.
import type { UnitReply, UnitRequest } from './hashwx/messages.js';
import type { KernelPath } from './solver-state.js';

export interface SearchTask {
  /** 32 to 34 ASCII characters in front of the nonce */
  readonly head: string;
  /** leading zero bits, 1 to 32 */
  readonly difficulty: number;
}

/** From the page: a search that replaces the current one; null stops it. A worker gets requests for one algorithm only. */
export type WorkerRequest = SearchRequest | UnitRequest | null;

export interface SearchRequest extends SearchTask {
  /** Request id, repeated in each reply. */
  readonly id: number;
  /** Index of the nonce range. */
  readonly range: number;
  readonly maxHashes: number;
}

/** From a worker: ready, or its progress. */
export type WorkerReply = ReadyReply | SearchReply | UnitReply;

export interface ReadyReply {
  readonly path: KernelPath;
}

export interface SearchReply {
  readonly id: number;
  /** Hashes tried for this request so far. */
  readonly hashes: number;
  readonly nonce?: string;
  /** Whether all hashes of the request were tried in vain. */
  readonly isDone?: true;
}
