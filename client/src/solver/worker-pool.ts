// Workers that search together. They stay between searches, so that their compiled code stays hot.
import { type CrewMember, startMember } from './pool-worker.js';
import { type CrewRun, startRun } from './search-job.js';
import type { SearchTask, SolverState } from './solver-state.js';
import type { LaneReply } from './worker-messages.js';

export interface CrewSearch {
  /** So many are started, less those that are there already. */
  readonly workers: number;
  /** The most hashes in a chunk on the page's own thread, which stands in while no worker is there. */
  readonly chunkSize: number;
  readonly maxHashes: number;
  readonly signal: AbortSignal;
  /** The first hashes are tried from now on: what was to be started is there. */
  readonly onBegin: () => void;
  readonly onHashes: (hashes: number, state: SolverState) => void;
}

export interface SearchResult {
  /** Nothing when all `maxHashes` were tried in vain. */
  readonly nonce: string | undefined;
  readonly hashes: number;
  readonly state: SolverState;
}

export interface Crew {
  /** Workers that have been started, whether they have answered or not. */
  readonly size: number;
  /** One search at a time. @throws the signal's reason when it is aborted */
  search(task: SearchTask, options: CrewSearch): Promise<SearchResult>;
  /** Ends the workers; the next search starts new ones. */
  dismiss(): void;
}

/** @param openWorker called once for each worker; where it throws, it is not called again */
export function openCrew(openWorker: () => Worker): Crew {
  const members = new Set<CrewMember>();
  let isRefused = false;
  /** Workers that the last search asked for. */
  let wanted = 0;
  let run: CrewRun | null = null;
  let standIn: CrewMember | null = null;
  /** Has the page's own thread search, unless a worker is there or to be waited for. */
  let standUp: () => void = () => undefined;
  let requests = 0;

  const events = {
    onReady(member: CrewMember) {
      sendAway();
      run?.employ(member);
    },
    onReply: (member: CrewMember, reply: LaneReply) => run?.hear(member, reply),
    onLate: () => standUp(),
    onGone(member: CrewMember) {
      members.delete(member);
      run?.lose(member);
      for (const other of members) run?.employ(other);
      standUp();
    },
  };

  function startUpTo(count: number): void {
    try {
      while (!isRefused && members.size < count) members.add(startMember(openWorker, events));
    } catch {
      isRefused = true;
    }
  }

  function sendAway(): void {
    if (standIn === null) return;
    standIn.end();
    run?.lose(standIn);
    standIn = null;
  }

  function state(): SolverState {
    const paths = [...members].flatMap(({ path }) => path ?? []);
    const path = paths[0] ?? standIn?.path ?? 'js';
    const coming = [...members].filter(({ isLate }) => !isLate).length;
    const degraded = paths.length === 0 || path !== 'simd' || coming < wanted;
    return { path, workers: paths.length, degraded };
  }

  return {
    get size() {
      return members.size;
    },
    async search(task, { workers, chunkSize, maxHashes, signal, onBegin, onHashes }) {
      wanted = workers;
      startUpTo(workers);
      try {
        return await new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          const isAlone = () => [...members].every(({ isLate }) => isLate);
          const current = startRun({
            task,
            workers,
            maxHashes,
            nextId: () => requests++,
            onBegin,
            onHashes: (hashes) => onHashes(hashes, state()),
            onEnd: (nonce, hashes) => resolve({ nonce, hashes, state: state() }),
          });
          run = current;
          standUp = () => {
            if (!isAlone() || standIn !== null) return;
            openLater(chunkSize, events).then((opened) => {
              if (run !== current || !isAlone() || standIn !== null) return;
              standIn = opened;
              current.employ(opened);
            }, reject);
          };
          for (const member of members) current.employ(member);
          standUp();
        });
      } finally {
        sendAway();
        run = null;
        standUp = () => undefined;
        for (const member of members) member.assign(null);
      }
    },
    dismiss() {
      for (const member of members) member.end();
      members.clear();
    },
  };
}

/** Loaded only where it is needed: a page with workers has the kernels there, not here. */
async function openLater(
  ...given: Parameters<typeof import('./main-thread-fallback.js').openStandIn>
): Promise<CrewMember> {
  const { openStandIn } = await import('./main-thread-fallback.js');
  return openStandIn(...given);
}
