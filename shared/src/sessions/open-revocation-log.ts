// The revocation log on Redis, a stream, and on the embedded store, a chain of entries.

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { EmbeddedStore } from '../store/embedded-store.js';
import type { Store } from '../store/open-store.js';
import { asStoreError, loadScript, openReader, type RedisClient } from '../store/redis-connection.js';
import { ANSWER_LIMIT_MS, StoreUnavailableError, within } from '../store/store.js';
import {
  REVOCATION_LOG_KEY,
  type ReadRevocation,
  type RevocationLog,
  type RevocationPage,
  type RevocationWait,
} from './revocation-log.js';

/** Opens the revocation log on a store, which the caller closes. */
export function openRevocationLog(store: Store): RevocationLog {
  return store.kind === 'redis' ? redisRevocationLog(store.client) : embeddedRevocationLog(store);
}

/** How long a read of the embedded log waits, in milliseconds. */
const POLL_MS = { brief: 200, long: 10_000 } as const;

/** The value of the log's key is the number of the newest entry; each entry names the previous one. */
const entryKey = (number: string) => `${REVOCATION_LOG_KEY}:${number}`;

function embeddedRevocationLog(store: EmbeddedStore): RevocationLog {
  const readAfter = async (position: string, limit?: number): Promise<RevocationPage> => {
    try {
      return await readChain(store, position, limit);
    } catch (error) {
      throw new StoreUnavailableError('the revocation log cannot be read', { cause: error });
    }
  };
  return {
    append: ({ sids, keepMs }) =>
      store.transact((transaction) => {
        const newest = transaction.get(REVOCATION_LOG_KEY) ?? '0';
        // Entries are numbered by time, so that a new chain after an expired one does not reuse its numbers.
        const number = String(Math.max(transaction.nowMs, Number(newest) + 1));
        // No link expires before the older ones, which may come from a node with a longer token lifetime.
        const untilMs = Math.max(transaction.nowMs + keepMs, transaction.expiryOf(REVOCATION_LOG_KEY) ?? 0);
        transaction.put(entryKey(number), `${newest} ${keepMs} ${sids.join(' ')}`, untilMs);
        transaction.put(REVOCATION_LOG_KEY, number, untilMs);
      }),
    readAfter,
    async openTail() {
      const closing = new AbortController();
      return {
        async next(position, wait) {
          if (wait !== 'none') await pause(POLL_MS[wait], undefined, { signal: closing.signal });
          return readAfter(position);
        },
        close: () => closing.abort(),
      };
    },
    briefMs: 2 * POLL_MS.brief,
  };
}

/** Reads from the newest entry back to the position, or to the oldest live entry, and returns the oldest of these. */
async function readChain(
  store: EmbeddedStore,
  position: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<RevocationPage> {
  const newest = await store.read(REVOCATION_LOG_KEY);
  const entries: ReadRevocation[] = [];
  let number = newest;
  while (number !== undefined && number !== position) {
    const text = await store.read(entryKey(number));
    if (text === undefined) break;
    const [before, keepMs, ...sids] = text.split(' ');
    // The number of an entry is its time.
    entries.push({ sids, keepMs: Number(keepMs), atMs: Number(number) });
    number = before;
    // Reads alone leave no turn to requests.
    if (entries.length % PAGE_ENTRIES === 0) await turn();
  }
  const page = entries.reverse().slice(0, limit);
  if (page.length === entries.length) return { entries, position: newest ?? position, complete: true };
  return { entries: page, position: String(page.at(-1)?.atMs), complete: false };
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);
const PAGE_ENTRIES = 1000;

/**
 * How long a read of the log on Redis waits, in milliseconds. A longer wait plus the time limit of commands reveals a dead
 * connection.
 */
const WAIT_MS = { brief: 500, long: 10_000 } as const;

type StreamReply = [key: string, items: [id: string, fields: string[]][]][] | null;

function redisRevocationLog(client: RedisClient): RevocationLog {
  const append = loadScript<string>(client, SCRIPTS, 'session_revoke');
  return {
    async append({ sids, keepMs }) {
      await append([REVOCATION_LOG_KEY], [keepMs, sids.join(' ')]);
    },
    readAfter: (position, limit) => read(client, position, 'none', limit),
    async openTail() {
      const reader = await openReader(client, WAIT_MS.long);
      return {
        next: (position, wait) => read(reader, position, wait),
        close: () => reader.disconnect(),
      };
    },
    briefMs: 2 * (WAIT_MS.brief + ANSWER_LIMIT_MS),
  };
}

async function read(
  client: RedisClient,
  position: string,
  wait: RevocationWait,
  limit = PAGE_ENTRIES,
): Promise<RevocationPage> {
  const from = ['STREAMS', REVOCATION_LOG_KEY, position] as const;
  let reply: StreamReply;
  try {
    reply = await within(
      ANSWER_LIMIT_MS + (wait === 'none' ? 0 : WAIT_MS[wait]),
      (wait === 'none'
        ? client.xread('COUNT', limit, ...from)
        : client.xread('COUNT', limit, 'BLOCK', WAIT_MS[wait], ...from)) as Promise<StreamReply>,
    );
  } catch (error) {
    throw asStoreError(error);
  }
  const items = reply?.[0]?.[1] ?? [];
  return {
    entries: items.map(([id, fields]) => ({
      // The id of an entry begins with its time.
      atMs: Number.parseInt(id, 10),
      sids: fieldOf(fields, 'sids').split(' '),
      keepMs: Number(fieldOf(fields, 'keep_ms')),
    })),
    position: items.at(-1)?.[0] ?? position,
    complete: items.length < limit,
  };
}

function fieldOf(fields: readonly string[], name: string): string {
  return fields[fields.indexOf(name) + 1] ?? '';
}
