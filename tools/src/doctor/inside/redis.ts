// Checks how a Redis server is set up, and shows what it keeps.

import {
  type Held,
  isTooOld,
  MAX_CLOCK_OFFSET_MS,
  mayEvict,
  OLDEST_REDIS,
  type RedisFacts,
  readRedisFacts,
  type Store,
} from '@tollgate/shared/store';
import { type Finding, good, problem, warning } from '../report.js';

/** A Redis server, or a master of a cluster, that a variable names. */
export interface RedisServerFacts extends RedisFacts {
  /** Its variable: `STORE_URL`. */
  readonly variable: string;
  readonly holds: readonly Held[];
}

/**
 * Reads what each server of a Redis reports about itself.
 * @param nowMs this machine's clock, in milliseconds since 1970
 */
export async function probeRedis(
  variable: string,
  holds: readonly Held[],
  store: Store & { kind: 'redis' },
  nowMs = Date.now,
): Promise<RedisServerFacts[]> {
  const servers = await readRedisFacts(store.client, nowMs);
  return servers.map((facts) => ({ ...facts, variable, holds }));
}

/** Requires a recent version, no eviction, a clock that agrees, and that what is spent stays spent; shows the settings. */
export function diagnoseRedis(server: RedisServerFacts): Finding[] {
  const { variable, version, policy, offsetMs, persistence, holds } = server;
  const found: Finding[] = [];
  if (isTooOld(server)) {
    found.push(
      problem(
        'redis_old',
        `The Redis of ${variable} is version ${version}, older than ${OLDEST_REDIS}.`,
        'Update it: commands that Tollgate needs are missing.',
      ),
    );
  }
  if (mayEvict(server)) {
    found.push(
      problem(
        'redis_evicts',
        `The Redis of ${variable} evicts keys when its memory is full (maxmemory-policy ${policy}).`,
        'Set maxmemory-policy noeviction: sessions would end, and spent challenges could be spent again.',
      ),
    );
  }
  if (Math.abs(offsetMs) > MAX_CLOCK_OFFSET_MS) {
    found.push(
      problem(
        'store_clock',
        `The clocks of the Redis of ${variable} and of this machine are ${Math.round(Math.abs(offsetMs) / 1000)} s apart.`,
        'Set the time of both machines by NTP.',
      ),
    );
  }
  if (persistence === 'snapshots' && holds.includes('challenges')) {
    found.push(
      warning(
        'challenges_from_snapshots',
        `The Redis of ${variable} keeps snapshots alone: after a crash challenges that were spent since the last one can be spent again.`,
        'Set appendonly yes, or keep nothing (save "").',
      ),
    );
  }
  if (holds.includes('sessions') && (persistence === 'snapshots' || persistence === 'none')) {
    found.push(
      warning(
        'sessions_not_kept',
        'The Redis of the sessions keeps no append-only file: a restart loses sessions.',
        'Set appendonly yes.',
      ),
    );
  }
  return [...found, good('redis', describe(server))];
}

const KEEPS = {
  append_only: 'keeps an append-only file',
  snapshots: 'keeps snapshots alone',
  none: 'keeps nothing on its disk',
  unknown: 'does not tell what it keeps on its disk',
} as const;

function describe({
  variable,
  version,
  persistence,
  policy,
  replicas,
  minReplicasToWrite,
}: RedisServerFacts) {
  const number = replicas === 0 ? 'no replica' : replicas === 1 ? '1 replica' : `${replicas} replicas`;
  return [
    `The Redis of ${variable} (version ${version ?? 'unknown'}) ${KEEPS[persistence]}`,
    `has maxmemory-policy ${policy ?? 'unknown'}`,
    `${number} and min-replicas-to-write ${minReplicasToWrite ?? 'unknown'}.`,
  ].join(', ');
}
