// One worker of the crew: started, spoken to, and ended when it fails.
import type { SolverPath } from './solver-state.js';
import type { LaneReply, LaneRequest, WorkerReply, WorkerRequest } from './worker-messages.js';

export interface CrewMember {
  /** Null until it has answered for the first time. */
  readonly path: SolverPath | null;
  /** It has not answered for so long that nobody should wait for it. It may still come. */
  readonly isLate: boolean;
  /** Tries this lane from now on, or nothing. */
  assign(request: LaneRequest | null): void;
  end(): void;
}

export interface MemberEvents {
  onReady(member: CrewMember): void;
  onReply(member: CrewMember, reply: LaneReply): void;
  onLate(): void;
  /** It failed, and has been ended. */
  onGone(member: CrewMember): void;
}

/** On a slow network the worker's files take longer than the search would without it. */
const patienceMs = 5_000;

/** @throws what the browser throws where it refuses a worker at once, instead of sending the event */
export function startMember(openWorker: () => Worker, events: MemberEvents): CrewMember {
  const worker = openWorker();
  let path: SolverPath | null = null;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    events.onLate();
  }, patienceMs);
  const member: CrewMember = {
    get path() {
      return path;
    },
    get isLate() {
      return isLate;
    },
    assign: (request) => worker.postMessage(request satisfies WorkerRequest),
    end() {
      clearTimeout(timer);
      worker.terminate();
    },
  };

  function leave(event: Event): void {
    // Nothing is left for the page to handle: the search goes on without this worker.
    event.preventDefault();
    member.end();
    events.onGone(member);
  }

  worker.addEventListener('error', leave);
  worker.addEventListener('messageerror', leave);
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => {
    if (!('path' in data)) return events.onReply(member, data);
    clearTimeout(timer);
    path = data.path;
    isLate = false;
    events.onReady(member);
  });
  return member;
}
