// Looks at every key of a Redis server for those that would stay for ever.
import type { Redis } from 'ioredis';

/** The keys of a server. */
export interface KeyReport {
  readonly keys: number;
  /** The names of those without an expiry. */
  readonly eternal: readonly string[];
}

/** What PTTL answers for a key that never expires; one that has expired since it was listed is -2. */
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
