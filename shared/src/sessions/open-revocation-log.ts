// The revocation log on Redis, a stream, and on the embedded store, a chain of entries.

import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedStore } from '../store/embedded-store.js';
import type { Store } from '../store/open-store.js';
import { asStoreError, openReader, type RedisClient } from '../store/redis-connection.js';
import { loadScript } from '../store/redis-script.js';
import { StoreUnavailableError } from '../store/store.js';
import {
  REVOCATION_LOG_KEY,
  type RevocationEntry,
  type RevocationLog,
  type RevocationPage,
} from './revocation-log.js';

/** Opens the revocation log on a store, which the caller closes. */
export function openRevocationLog(store: Store): RevocationLog {
  return store.kind === 'redis' ? redisRevocationLog(store.client) : embeddedRevocationLog(store);
}

const POLL_MS = 200;

/** The value of the log's key is the number of the newest entry; each entry names the one before it. */
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
        // Entries are numbered by time, so that a new chain after an expired one does not reuse its numbers.
        const number = String(Math.max(transaction.nowMs, Number(newest) + 1));
        // No link expires before the older ones, which a node with a longer lifetime of tokens may have written.
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

/** Reads from the newest entry back to the position, or to the oldest live entry. */
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

const SCRIPTS = new URL('../../../lua/', import.meta.url);
const PAGE_ENTRIES = 1000;

// A read that takes longer than this and the command timeout reveals a dead connection.
const WAIT_MS = 500;

type StreamReply = [key: string, items: [id: string, fields: string[]][]][] | null;

export function redisRevocationLog(client: RedisClient): RevocationLog {
  const append = loadScript<string>(client, SCRIPTS, 'session_revoke');
  return {
    async append({ sids, keepMs }) {
      await append([REVOCATION_LOG_KEY], [keepMs, sids.join(' ')]);
    },
    readAfter: (position) => read(client, position, false),
    async openTail() {
      const reader = await openReader(client, WAIT_MS);
      return {
        next: (position, wait) => read(reader, position, wait),
        close: () => reader.disconnect(),
      };
    },
  };
}

async function read(client: RedisClient, position: string, wait: boolean): Promise<RevocationPage> {
  const from = ['STREAMS', REVOCATION_LOG_KEY, position] as const;
  let reply: StreamReply;
  try {
    reply = (await (wait
      ? client.xread('COUNT', PAGE_ENTRIES, 'BLOCK', WAIT_MS, ...from)
      : client.xread('COUNT', PAGE_ENTRIES, ...from))) as StreamReply;
  } catch (error) {
    throw asStoreError(error);
  }
  const items = reply?.[0]?.[1] ?? [];
  return {
    entries: items.map(([, fields]) => ({
      sids: fieldOf(fields, 'sids').split(' '),
      keepMs: Number(fieldOf(fields, 'keep_ms')),
    })),
    position: items.at(-1)?.[0] ?? position,
    complete: items.length < PAGE_ENTRIES,
  };
}

function fieldOf(fields: readonly string[], name: string): string {
  return fields[fields.indexOf(name) + 1] ?? '';
}
