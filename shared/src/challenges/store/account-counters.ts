// The failure counters of an account, for operators who export or erase a person's data.

import { listKeys } from '../../store/list-keys.js';
import type { Store } from '../../store/open-store.js';
import { replyOf } from '../../store/redis-connection.js';
import { parseAttempts } from '../attempts/attempts.js';
import { slotTag } from '../attempts/pseudonyms.js';
import { challengeKeys } from './records.js';

/** The failures of an account, or of its pair with an address. */
export interface AccountCounter {
  /** Pseudonym of the address; undefined for the whole account. */
  readonly address: string | undefined;
  /** Times of the failures, in milliseconds since 1970, the oldest first. */
  readonly failedAtMs: readonly number[];
}

/** The failure counters of accounts. Both methods throw StoreUnavailableError if the store does not respond. */
export interface AccountCounters {
  /** @param account pseudonym of the account */
  read(account: string): Promise<AccountCounter[]>;
  /** Removes the counters in one atomic step, and returns how many there were. */
  erase(account: string): Promise<number>;
}

/** Opens the counters of the keys that begin with `prefix` (`cache.prefix`). */
export function openAccountCounters(store: Store, prefix: string): AccountCounters {
  const { failures, wait } = challengeKeys(prefix, slotTag);
  const keysOf = async (account: string) => [
    failures(account),
    ...(await listKeys(store, wait(account, ''))),
  ];
  return {
    async read(account) {
      const [ofAccount, ...ofPairs] = await keysOf(account);
      if (ofAccount === undefined) return [];
      const read = async (key: string, address: string | undefined) => ({
        address,
        failedAtMs: await failedAt(store, key),
      });
      const all = [
        read(ofAccount, undefined),
        ...ofPairs.map((key) => read(key, key.slice(wait(account, '').length))),
      ];
      return (await Promise.all(all)).filter(({ failedAtMs }) => failedAtMs.length > 0);
    },
    async erase(account) {
      const keys = await keysOf(account);
      // All of them are in the slot of the account.
      if (store.kind === 'redis') return replyOf(store.client, store.client.del(...keys));
      return store.transact(({ get, remove }) => {
        const found = keys.filter((key) => get(key) !== undefined);
        for (const key of found) remove(key);
        return found.length;
      });
    },
  };
}

async function failedAt(store: Store, key: string): Promise<number[]> {
  if (store.kind === 'embedded') return parseAttempts(await store.read(key)).map(({ atMs }) => atMs);
  const scores = await replyOf(store.client, store.client.zrange(key, '0', '-1', 'WITHSCORES'));
  return scores.filter((_entry, at) => at % 2 === 1).map(Number);
}
