// Checks the configuration of a Redis server, and shows its persistence.

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

/** A Redis server, or a master of a cluster, in a variable. */
export interface RedisServerFacts extends RedisFacts {
  /** Its variable: `STORE_URL`. */
  readonly variable: string;
  readonly holds: readonly Held[];
}

/**
 * Reads each server's own report.
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

/** Requires a recent version, no eviction, a synchronized clock and durable writes; shows the settings. */
export function diagnoseRedis(server: RedisServerFacts): Finding[] {
  const { variable, version, policy, offsetMs, persistence, holds } = server;
  const found: Finding[] = [];
  if (isTooOld(server)) {
    found.push(
      problem(
        'redis_old',
        `The Redis in ${variable} is version ${version}, older than ${OLDEST_REDIS}.`,
        'Update it: it lacks commands that Tollgate needs.',
      ),
    );
  }
  if (mayEvict(server)) {
    found.push(
      problem(
        'redis_evicts',
        `The Redis in ${variable} evicts keys when its memory is full (maxmemory-policy ${policy}).`,
        'Set maxmemory-policy noeviction: sessions would end, and spent challenges could be spent again.',
      ),
    );
  }
  if (Math.abs(offsetMs) > MAX_CLOCK_OFFSET_MS) {
    found.push(
      problem(
        'store_clock',
        `The clocks of the Redis in ${variable} and this machine differ by ${Math.round(Math.abs(offsetMs) / 1000)} s.`,
        'Synchronize both machines by NTP.',
      ),
    );
  }
  if (persistence === 'snapshots' && holds.includes('challenges')) {
    found.push(
      warning(
        'challenges_from_snapshots',
        `The Redis in ${variable} only writes snapshots: after a crash, challenges spent since the last one can be spent again.`,
        'Set appendonly yes, or disable persistence (save "").',
      ),
    );
  }
  if (holds.includes('sessions') && (persistence === 'snapshots' || persistence === 'none')) {
    found.push(
      warning(
        'sessions_not_kept',
        'The session Redis has no append-only file: a restart loses sessions.',
        'Set appendonly yes.',
      ),
    );
  }
  return [...found, good('redis', describe(server))];
}

const KEEPS = {
  append_only: 'writes an append-only file',
  snapshots: 'writes only snapshots',
  none: 'has no persistence',
  unknown: 'does not report its persistence',
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
    `The Redis in ${variable} (version ${version ?? 'unknown'}) ${KEEPS[persistence]}`,
    `has maxmemory-policy ${policy ?? 'unknown'}`,
    `${number} and min-replicas-to-write ${minReplicasToWrite ?? 'unknown'}.`,
  ].join(', ');
}
