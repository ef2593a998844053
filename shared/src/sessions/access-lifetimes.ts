// The longest accepted lifetime of an access token: as configured here, or as reported by a node that makes tokens.

import { openKeyRecord, type ReportedKeys, SILENCE_MS } from '../keys/key-record.js';
import { type AnswerLimit, newAnswerLimit, waitForAnswer } from '../store/answer-limit.js';
import type { Store } from '../store/open-store.js';

/** How long a reading of the record is used, in milliseconds. */
const READ_AGAIN_MS = 10_000;

/** Checks the lifetimes of access tokens. */
export interface AccessLifetimes {
  /**
   * Returns whether a token may live `seconds`: at once, or a promise while it reads the store, which it does only for a
   * lifetime longer than its own. Never throws.
   * @param limit the time that the request may still wait
   */
  allows(seconds: number, limit?: AnswerLimit): boolean | Promise<boolean>;
}

/**
 * @param ownSeconds `ACCESS_TTL`; lifetimes up to it are always allowed
 * @param store where nodes report; without it, or while it does not answer, no longer lifetime is allowed
 */
export function openAccessLifetimes(ownSeconds: number, store?: Store): AccessLifetimes {
  const record = store === undefined ? undefined : openKeyRecord(store);
  let reading: Promise<number> | undefined;
  let readAtMs = 0;
  const longest = async (reader: NonNullable<typeof record>, limit: AnswerLimit): Promise<number> => {
    if (reading === undefined || performance.now() - readAtMs >= READ_AGAIN_MS) {
      readAtMs = performance.now();
      reading = reader.read().then(longestLifetime);
    }
    return waitForAnswer(limit, reading).catch(() => 0);
  };
  return {
    allows(seconds, limit = newAnswerLimit()) {
      if (seconds <= ownSeconds) return true;
      return record === undefined ? false : longest(record, limit).then((most) => seconds <= most);
    },
  };
}

// A lifetime counts while its tokens may be alive: a node makes them until it falls silent.
function longestLifetime({ lifetimes, nowMs }: ReportedKeys): number {
  const inUse = lifetimes.filter(
    ({ name, seconds, lastMs }) => name === 'access' && nowMs < lastMs + SILENCE_MS + seconds * 1000,
  );
  return Math.max(0, ...inUse.map(({ seconds }) => seconds));
}
