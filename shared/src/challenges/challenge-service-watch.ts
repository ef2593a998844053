// Tells an application in its log when no challenge service with the same secret is behind its store.

import type { KeyRing } from '../crypto/key-ring.js';
import { type NodeKeys, openKeyRecord, type ReportedKeys } from '../keys/key-record.js';
import type { Store } from '../store/open-store.js';
import { startPeriodicTask } from '../store/periodic-task.js';

/** The part of a logger that this file uses. */
export interface ChallengeServiceLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** What the nodes on a store have reported of a challenge service, as an application with secrets of its own sees it. */
export type ChallengeServiceStatus = 'found' | 'missing' | 'other_secret';

/** The watch of one application. */
export interface ChallengeServiceWatch {
  /** Looks at once, and not only when its time has come. */
  checkNow(): Promise<void>;
  /** Stop it before the store is closed. */
  stop(): Promise<void>;
}

/** From one look to the next, in milliseconds: while something is wrong, and while all is well. */
const UNSETTLED_MS = 5000;
const SETTLED_MS = 600_000;

const WARNINGS = {
  missing:
    'no challenge service has reported on this store: without one every submission is refused; STORE_URL or CAPTCHA_CACHE_STORE must name the store of the challenge service',
  other_secret:
    'the challenge service on this store has another CHALLENGE_SECRET: every submission is refused',
} as const;

/** Whether a node issues challenges: it makes them, and has none of the secrets of the session service. */
export function isChallengeService({ makes, ids }: NodeKeys): boolean {
  return makes && ids.CHALLENGE_SECRET !== undefined && ids.REFRESH_SECRET === undefined;
}

/**
 * The status of the challenge service that reported last: one that was killed counts for a while.
 *
 * @param ownIds key ids of the application's `CHALLENGE_SECRET`, in order
 */
export function challengeServiceStatus(
  { nodes }: Pick<ReportedKeys, 'nodes'>,
  ownIds: readonly string[],
): ChallengeServiceStatus {
  const ids = nodes.find(isChallengeService)?.ids.CHALLENGE_SECRET;
  if (ids === undefined) return 'missing';
  const accepts = (list: readonly string[], [current = '']: readonly string[]) => list.includes(current);
  return accepts(ownIds, ids) && accepts(ids, ownIds) ? 'found' : 'other_secret';
}

/**
 * Looks every five seconds until all is well, then every ten minutes. It warns of what two looks in a row have found,
 * so that services that start together are no fault, and says when it is over.
 */
export function watchChallengeService(
  store: Store,
  ring: KeyRing,
  log: ChallengeServiceLog,
): ChallengeServiceWatch {
  const record = openKeyRecord(store);
  const ownIds = ring.all.map(({ id }) => id);
  let seen: ChallengeServiceStatus = 'found';
  let told: ChallengeServiceStatus = 'found';
  const checkNow = async () => {
    const before = seen;
    seen = challengeServiceStatus(await record.read(), ownIds);
    if (seen === told) return;
    if (seen === 'found') log.info({}, 'the challenge service on this store has the same CHALLENGE_SECRET');
    else if (seen === before) log.warn({}, WARNINGS[seen]);
    else return;
    told = seen;
  };
  const rounds = startPeriodicTask(store, checkNow, {
    everyMs: () => (seen === 'found' ? SETTLED_MS : UNSETTLED_MS),
    // A store that is away is reported by its own checks.
    onFailure() {},
  });
  return { checkNow, stop: rounds.stop };
}
