// Warns about a Redis that could lose data, and about database files that other users may read.

import type { Store } from './open-store.js';
import { filesOpenToOthers } from './private-file.js';
import type { RedisClient } from './redis-connection.js';
import type { RedisStore } from './redis-store.js';

/** The part of a logger that this file uses. */
export interface WarningLog {
  warn(about: object, message: string): void;
}

/** The largest difference between the clocks of a node and of the store without a warning, in milliseconds. */
const CLOCK_OFFSET_MS = 2000;

const OLDEST_VERSION = [6, 2] as const;

/** Checks a Redis each time a connection becomes ready, and a file once, and logs warnings. */
export function logStoreWarnings(store: Store, log: WarningLog): void {
  if (store.kind === 'embedded') {
    for (const path of filesOpenToOthers(store.path)) {
      log.warn({ path }, 'other users of this machine may read this file of the store: it needs mode 0600');
    }
    return;
  }
  const check = () => {
    storeWarnings(store).then(
      (warnings) => {
        for (const warning of warnings) log.warn({}, warning);
      },
      // The next connection checks again.
      () => {},
    );
  };
  store.onReady(check);
}

/**
 * Returns a sentence for each problem of a Redis: too old, evicts keys, clock differs from that of this node.
 * @param nowMs clock of this node, in milliseconds since 1970
 */
export async function storeWarnings(store: RedisStore, nowMs = Date.now): Promise<string[]> {
  const info = await infoOf(store.client);
  const warnings: string[] = [];
  const [major = 0, minor = 0] = (info.get('redis_version') ?? '0').split('.').map(Number);
  if (major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1])) {
    warnings.push(`Redis ${major}.${minor} is older than ${OLDEST_VERSION.join('.')}`);
  }
  const policy = info.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `Redis may evict keys (maxmemory-policy ${policy}): sessions and spent challenges could be lost`,
    );
  }
  const offsetMs = Math.abs((await store.timeMs()) - nowMs());
  if (offsetMs > CLOCK_OFFSET_MS) {
    warnings.push(`the clocks of Redis and of this node are ${Math.round(offsetMs / 1000)} s apart`);
  }
  return warnings;
}

async function infoOf(client: RedisClient): Promise<Map<string, string>> {
  const text = await client.info();
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
}
