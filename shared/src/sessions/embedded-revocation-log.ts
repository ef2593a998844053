// The revocation log on the embedded store: a chain of entries, looked at five times a second.

import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedStore } from '../store/embedded-store.js';
import { StoreUnavailableError } from '../store/store-errors.js';
import {
  REVOCATION_LOG_KEY,
  type RevocationEntry,
  type RevocationLog,
  type RevocationPage,
} from './revocation-log.js';

const POLL_MS = 200;

/** The value under the log's own name is the number of the newest entry; each entry names the one before it. */
const entryKey = (number: string) => `${REVOCATION_LOG_KEY}:${number}`;

export function embeddedRevocationLog(store: EmbeddedStore): RevocationLog {
  const readAfter = async (position: string): Promise<RevocationPage> => {
    try {
      return await readChain(store, position);
    } catch (error) {
      throw new StoreUnavailableError('the revocation log cannot be read', { cause: error });
    }
  };
  return {
    append: ({ sids, keepMs }) =>
      store.transact((transaction) => {
        const newest = transaction.get(REVOCATION_LOG_KEY) ?? '0';
        // Times number the entries, so that a chain that has expired whole does not begin with a number of old.
        const number = String(Math.max(transaction.nowMs, Number(newest) + 1));
        // No link is gone before those that it leads to, which a node with a longer life of tokens may have written.
        const untilMs = Math.max(transaction.nowMs + keepMs, transaction.expiryOf(REVOCATION_LOG_KEY) ?? 0);
        transaction.put(entryKey(number), `${newest} ${keepMs} ${sids.join(' ')}`, untilMs);
        transaction.put(REVOCATION_LOG_KEY, number, untilMs);
      }),
    readAfter,
    async openTail() {
      const closing = new AbortController();
      return {
        async next(position, wait) {
          if (wait) await pause(POLL_MS, undefined, { signal: closing.signal });
          return readAfter(position);
        },
        close: () => closing.abort(),
      };
    },
  };
}

/** Walks from the newest entry back to the position, or to where the entries have expired. */
async function readChain(store: EmbeddedStore, position: string): Promise<RevocationPage> {
  const newest = await store.read(REVOCATION_LOG_KEY);
  const entries: RevocationEntry[] = [];
  let number = newest;
  while (number !== undefined && number !== position) {
    const text = await store.read(entryKey(number));
    if (text === undefined) break;
    const [before, keepMs, ...sids] = text.split(' ');
    entries.push({ sids, keepMs: Number(keepMs) });
    number = before;
  }
  return { entries: entries.reverse(), position: newest ?? position, complete: true };
}
