// The failure counters of an account, for operators who export or erase a person's data.

import { challengeKeys, parseAttempts, slotTag } from '@tollgate/shared/challenges';
import { listKeys, readAll, replyOf, type Store } from '@tollgate/shared/store';

/** The failures of an account, or of its pair with an address. */
interface AccountCounter {
  /** Pseudonym of the account. */
  readonly account: string;
  /** Pseudonym of the address; undefined for the whole account. */
  readonly address: string | undefined;
  /** Times of the failures, in milliseconds since 1970, the oldest first. */
  readonly failedAtMs: readonly number[];
}

/**
 * The failure counters of some accounts, given by their pseudonyms. Both methods read all keys of counters, and throw
 * StoreUnavailableError if the store does not respond.
 */
interface AccountCounters {
  read(accounts: ReadonlySet<string>): Promise<AccountCounter[]>;
  /** Removes the counters in one atomic step for each account, and returns how many there were. */
  erase(accounts: ReadonlySet<string>): Promise<number>;
}

/** Opens the counters of the keys that begin with `prefix` (`cache.prefix`). */
export function openAccountCounters(store: Store, prefix: string): AccountCounters {
  const { failures, wait } = challengeKeys(prefix, slotTag);
  const [start = '', end = ''] = wait('\0', '').split('\0');
  /** The keys of each account. */
  const keysOf = async (accounts: ReadonlySet<string>) => {
    const keys = new Map([...accounts].map((account) => [account, [failures(account)]]));
    for (const key of accounts.size === 0 ? [] : await listKeys(store, start)) {
      const [account = ''] = key.slice(start.length).split(end, 1);
      keys.get(account)?.push(key);
    }
    return keys;
  };
  return {
    async read(accounts) {
      const found: AccountCounter[] = [];
      for (const [account, keys] of await keysOf(accounts)) {
        for (const [at, failedAtMs] of (await readAll(keys, (key) => failedAt(store, key))).entries()) {
          const address = at === 0 ? undefined : keys[at]?.slice(wait(account, '').length);
          if (failedAtMs.length > 0) found.push({ account, address, failedAtMs });
        }
      }
      return found;
    },
    async erase(accounts) {
      let erased = 0;
      for (const keys of (await keysOf(accounts)).values()) erased += await removeAll(store, keys);
      return erased;
    },
  };
}

/** Removes keys of one slot in one step. */
async function removeAll(store: Store, keys: readonly string[]): Promise<number> {
  if (store.kind === 'redis') return replyOf(store.client, store.client.del(...keys));
  return store.transact(({ get, remove }) => {
    const found = keys.filter((key) => get(key) !== undefined);
    for (const key of found) remove(key);
    return found.length;
  });
}

async function failedAt(store: Store, key: string): Promise<number[]> {
  if (store.kind === 'embedded') return parseAttempts(await store.read(key)).map(({ atMs }) => atMs);
  const scores = await replyOf(store.client, store.client.zrange(key, '0', '-1', 'WITHSCORES'));
  return scores.filter((_entry, at) => at % 2 === 1).map(Number);
}
