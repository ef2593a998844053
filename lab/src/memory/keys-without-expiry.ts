// Finds keys of a Redis server that never expire.
import type { Redis } from 'ioredis';

/** The keys of a server. */
interface KeyReport {
  readonly keys: number;
  /** Names of the keys without an expiry. */
  readonly eternal: readonly string[];
}

/** The PTTL reply for a key that never expires; -2 if it has expired since it was listed. */
const NO_EXPIRY = -1;
const AT_ONCE = 1000;

/** Lists the keys in steps, beside other commands. */
export async function findKeysWithoutExpiry(redis: Redis): Promise<KeyReport> {
  let keys = 0;
  const eternal: string[] = [];
  for await (const names of redis.scanStream({ count: AT_ONCE }) as AsyncIterable<string[]>) {
    const left = await Promise.all(names.map((name) => redis.pttl(name)));
    keys += names.length;
    eternal.push(...names.filter((_, at) => left[at] === NO_EXPIRY));
  }
  return { keys, eternal };
}
