// One worker of the pool: starts it, sends it requests, and terminates it when it fails.
import type { KernelPath } from './solver-state.js';
import type {
  ReadyReply,
  SearchReply,
  SearchRequest,
  WorkerReply,
  WorkerRequest,
} from './worker-messages.js';

/** @typeParam Request what the worker searches: nonces of SHA-256 by default */
export interface PoolWorker<Request extends WorkerRequest = SearchRequest> {
  /** Null until the worker is ready. */
  readonly path: KernelPath | null;
  /** The worker is not ready after 5 seconds, so a search does not wait for it. It may still become ready. */
  readonly isLate: boolean;
  /** Replaces what the worker searches; null stops it. */
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

/** On a slow network, loading the worker's files can take longer than the search itself. */
const readyTimeoutMs = 5_000;

/** @throws what the browser throws if it refuses a worker at once instead of dispatching an error event */
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
    // The search goes on without this worker, so the page has nothing to handle.
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
