// The store of account events: logins and failed logins.

import { randomAlphanumerics } from '@tollgate/shared/crypto';
import type { UserId } from '@tollgate/shared/schemas';
import {
  type EmbeddedStore,
  listKeys,
  loadScript,
  type RedisClient,
  readAll,
  replyOf,
  type Store,
} from '@tollgate/shared/store';
import {
  type AccountEvent,
  formatAccountEvent,
  MAX_FAILURES,
  MAX_LOGINS,
  parseAccountEvent,
} from '../domain/account-event.js';
import { failuresKey, LOGINS_PREFIX, loginsKey } from './session-keys.js';

/** Account events. Every method throws StoreUnavailableError if the store does not respond. */
export interface AccountEvents {
  /** Stores an event in one atomic step; does nothing if events are not stored. */
  note(event: Omit<AccountEvent, 'atMs'>): Promise<void>;
  /** The events of an account, by its pseudonym, the newest first. */
  read(account: string): Promise<AccountEvent[]>;
  /** The accounts to which only these users have logged in. Reads all logins, so it takes time. */
  accountsOf(uids: ReadonlySet<UserId>): Promise<string[]>;
  /**
   * Removes the events of an account, except logins of other users, in one atomic step each for logins and failures.
   * @returns how many there were
   */
  erase(account: string, uids: ReadonlySet<UserId>): Promise<number>;
}

/** Bounded lists of encoded events. */
interface EventLists {
  /** @param replaces whether the event replaces the newest one if only the time differs */
  push(key: string, most: number, text: string, replaces: boolean): Promise<void>;
  read(key: string): Promise<readonly string[]>;
  /** Removes the events of an account: those without a user, and those of `uids`. Returns how many there were. */
  erase(key: string, account: string, uids: ReadonlySet<UserId>): Promise<number>;
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** @param keepMs lifetime of an event, in milliseconds; 0 stores none */
export function openAccountEvents(store: Store, keepMs: number): AccountEvents {
  const lists = store.kind === 'redis' ? redisLists(store.client, keepMs) : embeddedLists(store, keepMs);
  return {
    async note(event) {
      if (keepMs === 0) return;
      const text = formatAccountEvent(event);
      if (event.event === 'login') await lists.push(loginsKey(event.account), MAX_LOGINS, text, false);
      // In a flood, attempts without a password check must not displace everything else.
      else await lists.push(failuresKey(event.account), MAX_FAILURES, text, event.event !== 'login_failed');
    },
    async read(account) {
      const [logins, failures] = await Promise.all([
        lists.read(loginsKey(account)),
        lists.read(failuresKey(account)),
      ]);
      return [...logins, ...failures]
        .map(parseAccountEvent)
        .filter((event) => event.account === account)
        .sort((one, other) => other.atMs - one.atMs);
    },
    async accountsOf(uids) {
      const keys = await listKeys(store, LOGINS_PREFIX);
      const read = await readAll(keys, async (key) => (await lists.read(key)).map(parseAccountEvent));
      return read
        .filter((events) => events.every(({ uid }) => uid !== undefined && uids.has(uid)))
        .flatMap((events) => events[0]?.account ?? []);
    },
    async erase(account, uids) {
      const keys = [loginsKey(account), failuresKey(account)];
      const removed = await Promise.all(keys.map((key) => lists.erase(key, account, uids)));
      return removed.reduce((sum, count) => sum + count, 0);
    },
  };
}

function redisLists(client: RedisClient, keepMs: number): EventLists {
  const note = loadScript<null>(client, SCRIPTS, 'account_note');
  const erase = loadScript<number>(client, SCRIPTS, 'account_erase');
  return {
    async push(key, most, text, replaces) {
      await note([key], [keepMs, most, text, randomAlphanumerics(8), replaces ? 1 : 0]);
    },
    read: (key) => replyOf(client, client.lrange(key, 0, -1)),
    erase: (key, account, uids) => erase([key], [account, ...[...uids].map(String)]),
  };
}

function embeddedLists(store: EmbeddedStore, keepMs: number): EventLists {
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
    read: async (key) => (await store.read(key))?.split('\n') ?? [],
    erase: (key, account, uids) =>
      store.transact((transaction) => {
        const before = transaction.get(key)?.split('\n') ?? [];
        const kept = before.filter((line) => {
          const event = parseAccountEvent(line);
          return event.account !== account || (event.uid !== undefined && !uids.has(event.uid));
        });
        if (kept.length === 0) transaction.remove(key);
        else if (kept.length < before.length)
          transaction.put(key, kept.join('\n'), transaction.expiryOf(key) ?? transaction.nowMs);
        return before.length - kept.length;
      }),
  };
}
