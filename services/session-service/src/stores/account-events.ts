// What the store keeps of what happened to accounts.

import { randomAlphanumerics } from '@tollgate/shared/crypto/random.js';
import type { EmbeddedStore } from '@tollgate/shared/store/embedded-store.js';
import type { Store } from '@tollgate/shared/store/open-store.js';
import type { RedisClient } from '@tollgate/shared/store/redis-connection.js';
import { loadScript, replyOf } from '@tollgate/shared/store/redis-script.js';
import {
  type AccountEvent,
  formatAccountEvent,
  MOST_FAILURES,
  MOST_LOGINS,
  parseAccountEvent,
} from '../domain/account-event.js';
import { failuresKey, loginsKey } from './session-keys.js';

/** Events of accounts. Both throw StoreUnavailableError when the store does not answer. */
export interface AccountEvents {
  /** Keeps an event: one step, or none when nothing is kept. */
  note(event: Omit<AccountEvent, 'atMs'>): Promise<void>;
  /** What is known of an account under its keyed name, the newest first. */
  read(account: string): Promise<AccountEvent[]>;
}

interface Lists {
  /** @param replaces whether it takes the place of the newest line, if that says the same */
  push(key: string, most: number, text: string, replaces: boolean): Promise<void>;
  lines(key: string): Promise<readonly string[]>;
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** @param keepMs how long an event is kept, in milliseconds; 0 keeps none */
export function openAccountEvents(store: Store, keepMs: number): AccountEvents {
  const lists = store.kind === 'redis' ? redisLists(store.client, keepMs) : embeddedLists(store, keepMs);
  return {
    async note(event) {
      if (keepMs === 0) return;
      const text = formatAccountEvent(event);
      if (event.event === 'login') await lists.push(loginsKey(event.account), MOST_LOGINS, text, false);
      // Who has to wait can be told so for nothing, and would push out everything else.
      else
        await lists.push(failuresKey(event.account), MOST_FAILURES, text, event.event === 'login_throttled');
    },
    async read(account) {
      const [logins, failures] = await Promise.all([
        lists.lines(loginsKey(account)),
        lists.lines(failuresKey(account)),
      ]);
      return [...logins, ...failures]
        .map(parseAccountEvent)
        .filter((event) => event.account === account)
        .sort((one, other) => other.atMs - one.atMs);
    },
  };
}

function redisLists(client: RedisClient, keepMs: number): Lists {
  const note = loadScript<null>(client, SCRIPTS, 'account_note');
  return {
    async push(key, most, text, replaces) {
      await note([key], [keepMs, most, text, randomAlphanumerics(8), replaces ? 1 : 0]);
    },
    lines: (key) => replyOf(client, client.lrange(key, 0, -1)),
  };
}

function embeddedLists(store: EmbeddedStore, keepMs: number): Lists {
  return {
    push: (key, most, text, replaces) =>
      store.transact((transaction) => {
        const { nowMs } = transaction;
        const before = transaction.get(key)?.split('\n') ?? [];
        const kept = before.filter((line) => Number.parseInt(line, 10) > nowMs - keepMs);
        if (replaces && kept[0]?.endsWith(` ${text}`)) kept.shift();
        const lines = [`${nowMs} ${text}`, ...kept].slice(0, most);
        transaction.put(key, lines.join('\n'), nowMs + keepMs);
      }),
    lines: async (key) => (await store.read(key))?.split('\n') ?? [],
  };
}
