// The revocation log on Redis: one stream, followed by a blocking read.

import { openReader, type RedisClient } from '../store/redis-connection.js';
import { loadScript } from '../store/redis-script.js';
import { asStoreError } from '../store/store-errors.js';
import { REVOCATION_LOG_KEY, type RevocationLog, type RevocationPage } from './revocation-log.js';

const SCRIPTS = new URL('../../../lua/', import.meta.url);
const PAGE_ENTRIES = 1000;

// A connection that went silent is noticed when a read takes longer than this and the usual time limit.
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
