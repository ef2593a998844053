// Pool worker: starts it, sends requests, and terminates it on failure.
import type { KernelPath } from './solver-state.js';
import type {
  ReadyReply,
  SearchReply,
  SearchRequest,
  WorkerReply,
  WorkerRequest,
} from './worker-messages.js';

/** @typeParam Request search request: SHA-256 nonces by default */
export interface PoolWorker<Request extends WorkerRequest = SearchRequest> {
  /** Null until the worker is ready. */
  readonly path: KernelPath | null;
  /** Whether the worker is not ready after 5 seconds: a search does not wait for it, but it may still become ready. */
  readonly isLate: boolean;
  /** Replaces the worker's request; null stops its search. */
  send(request: Request | null): void;
  terminate(): void;
}

export interface WorkerEvents<
  Request extends WorkerRequest = SearchRequest,
  Reply extends Exclude<WorkerReply, ReadyReply> = SearchReply,
> {
  onReady(worker: PoolWorker<Request>): void;
  onReply(worker: PoolWorker<Request>, reply: Reply): void;
  onLate(): void;
  /** The worker failed and has been terminated. */
  onFailed(worker: PoolWorker<Request>): void;
}

/** On a slow network, loading the worker files can take longer than the search. */
const readyTimeoutMs = 5_000;

/** @throws the browser's error if it rejects a worker at once instead of dispatching an error event */
export function startPoolWorker<
  Request extends WorkerRequest = SearchRequest,
  Reply extends Exclude<WorkerReply, ReadyReply> = SearchReply,
>(openWorker: () => Worker, events: WorkerEvents<Request, Reply>): PoolWorker<Request> {
  const worker = openWorker();
  let path: KernelPath | null = null;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    events.onLate();
  }, readyTimeoutMs);
  const poolWorker: PoolWorker<Request> = {
    get path() {
      return path;
    },
    get isLate() {
      return isLate;
    },
    send: (request) => worker.postMessage(request),
    terminate() {
      clearTimeout(timer);
      worker.terminate();
    },
  };

  function fail(event: Event): void {
    // The search continues without this worker, so the page need not handle the error.
    event.preventDefault();
    poolWorker.terminate();
    events.onFailed(poolWorker);
  }

  worker.addEventListener('error', fail);
  worker.addEventListener('messageerror', fail);
  worker.addEventListener('message', ({ data }: MessageEvent<ReadyReply | Reply>) => {
    if (!('path' in data)) return events.onReply(poolWorker, data);
    clearTimeout(timer);
    path = data.path;
    isLate = false;
    events.onReady(poolWorker);
  });
  return poolWorker;
}
