// How long an access token may live: as configured here, or as long as a node that makes tokens has reported.

import { openKeyRecord, type ReportedKeys, SILENCE_MS } from '../keys/key-record.js';
import type { Store } from '../store/open-store.js';

/** The record is read again for a longer token after this time, in milliseconds. */
const READ_AGAIN_MS = 10_000;

/** Decides about the life of an access token. */
export interface AccessLifetimes {
  /** Says whether a token may live so many seconds. Never throws; asks the store only about a life longer than its own. */
  allows(seconds: number): Promise<boolean>;
}

/**
 * @param ownSeconds `ACCESS_TTL`; lives up to it are always allowed
 * @param store where nodes report; without it, and while it is out of reach, no longer life is allowed
 */
export function openAccessLifetimes(ownSeconds: number, store?: Store): AccessLifetimes {
  const record = store === undefined ? undefined : openKeyRecord(store);
  let reading: Promise<number> | undefined;
  let readAtMs = 0;
  return {
    async allows(seconds) {
      if (seconds <= ownSeconds) return true;
      if (record === undefined) return false;
      if (reading === undefined || performance.now() - readAtMs >= READ_AGAIN_MS) {
        readAtMs = performance.now();
        reading = record.read().then(longestLifetime, () => 0);
      }
      return seconds <= (await reading);
    },
  };
}

// A life counts while tokens of it may be alive: its node makes them until it falls silent.
function longestLifetime({ lifetimes, nowMs }: ReportedKeys): number {
  const inUse = lifetimes.filter(
    ({ name, seconds, lastMs }) => name === 'access' && nowMs < lastMs + SILENCE_MS + seconds * 1000,
  );
  return Math.max(0, ...inUse.map(({ seconds }) => seconds));
}
