// Warns an application if no challenge service with the same secret uses its store.

import type { KeyRing } from '../crypto/key-ring.js';
import { type NodeKeys, openKeyRecord, type ReportedKeys } from '../keys/key-record.js';
import type { Store } from '../store/open-store.js';
import { startPeriodicTask } from '../store/periodic-task.js';

/** The part of a logger that this file uses. */
interface ChallengeServiceLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** The status of the challenge service, from the reports on the store. */
export type ChallengeServiceStatus = 'found' | 'missing' | 'other_secret';

/** The watch of one application. */
interface ChallengeServiceWatch {
  /** Checks now, without waiting for the interval. */
  checkNow(): Promise<void>;
  /** Stops the checks. Call it before you close the store. */
  stop(): Promise<void>;
}

/** Intervals between checks in milliseconds: while a problem lasts, and while there is none. */
const UNSETTLED_MS = 5000;
const SETTLED_MS = 600_000;

const WARNINGS = {
  missing:
    "no challenge service has reported on this store: every submission is rejected; STORE_URL or CAPTCHA_CACHE_STORE must name the challenge service's store",
  other_secret:
    'the challenge service on this store has another CHALLENGE_SECRET: every submission is rejected',
} as const;

/** Returns whether a node issues challenges: it makes them and has no secret of the session service. */
export function isChallengeService({ makes, ids }: NodeKeys): boolean {
  return makes && ids.CHALLENGE_SECRET !== undefined && ids.REFRESH_SECRET === undefined;
}

/**
 * Returns the status of the challenge service that reported last. A killed one counts until it has been silent for a while.
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
 * Checks every five seconds until there is no problem, then every ten minutes. It warns about a problem that two
 * consecutive checks have found, so that services that start together cause no warning, and logs the end of the problem.
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
    // Other checks report a store that does not respond.
    onFailure() {},
  });
  return { checkNow, stop: rounds.stop };
}
