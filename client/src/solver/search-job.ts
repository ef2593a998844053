// One search of a crew: gives each worker lanes of its own until one has the nonce or all hashes are spent.
import type { CrewMember } from './pool-worker.js';
import type { SearchTask } from './solver-state.js';
import type { LaneReply } from './worker-messages.js';

/** A part of `maxHashes` that one worker tries. */
interface Lease {
  readonly id: number;
  readonly granted: number;
  hashes: number;
}

export interface CrewRunOptions {
  readonly task: SearchTask;
  readonly maxHashes: number;
  /** Workers that are expected to take part. */
  readonly workers: number;
  /** A number that no request had before. */
  readonly nextId: () => number;
  /** The first worker begins. */
  readonly onBegin: () => void;
  readonly onHashes: (hashes: number) => void;
  /** @param nonce nothing when all hashes were tried in vain */
  readonly onEnd: (nonce: string | undefined, hashes: number) => void;
}

export interface CrewRun {
  /** Gives a worker that is ready and idle something to do, if there is any left. */
  employ(member: CrewMember): void;
  hear(member: CrewMember, reply: LaneReply): void;
  /** A worker is gone; what it was to try is there for the others. */
  lose(member: CrewMember): void;
}

/** Of what is left a worker gets half its share, so that a quick one is not idle while a slow one ends. */
const leasesPerWorker = 2;
const smallestLease = 100_000;
/** So that a worker, which counts in fours, tries exactly what it was given. */
const leaseStep = 1000;

export function startRun(options: CrewRunOptions): CrewRun {
  const { task, workers, nextId, onBegin, onHashes, onEnd } = options;
  const leases = new Map<CrewMember, Lease>();
  let left = options.maxHashes;
  let lanes = 0;
  /** Of leases that have ended. */
  let counted = 0;

  const total = () => [...leases.values()].reduce((sum, { hashes }) => sum + hashes, counted);

  function employ(member: CrewMember): void {
    if (left <= 0 || member.path === null || leases.has(member)) return;
    const share = leaseStep * Math.ceil(left / (workers * leasesPerWorker * leaseStep));
    const granted = Math.min(left, Math.max(smallestLease, share));
    const id = nextId();
    if (lanes === 0) onBegin();
    left -= granted;
    leases.set(member, { id, granted, hashes: 0 });
    member.assign({ ...task, id, lane: lanes++, maxHashes: granted });
  }

  function endLease(member: CrewMember, lease: Lease): void {
    counted += lease.hashes;
    leases.delete(member);
  }

  if (left <= 0) onEnd(undefined, 0);
  return {
    employ,
    hear(member, { id, hashes, nonce, isDone }) {
      const lease = leases.get(member);
      if (lease?.id !== id) return;
      lease.hashes = hashes;
      if (nonce !== undefined) return onEnd(nonce, total());
      if (isDone) {
        endLease(member, lease);
        employ(member);
        if (leases.size === 0) return onEnd(undefined, total());
      }
      onHashes(total());
    },
    lose(member) {
      const lease = leases.get(member);
      if (lease === undefined) return;
      left += lease.granted - lease.hashes;
      endLease(member, lease);
    },
  };
}
