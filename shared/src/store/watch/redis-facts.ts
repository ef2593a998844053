// The reported properties of Redis, and warnings about them.

import { Cluster, type Redis } from 'ioredis';
import { asStoreError, type RedisClient } from '../redis-connection.js';

/** The persistence of a server; unknown if it is not reported. */
export type Persistence = 'append_only' | 'snapshots' | 'none' | 'unknown';

/** The reported properties of a Redis server. */
export interface RedisFacts {
  /** Differs between any two running servers. */
  readonly runId: string;
  /** Such as `7.2.4`; undefined if it is not reported. */
  readonly version: string | undefined;
  /** `maxmemory-policy`; undefined if it is not reported. */
  readonly policy: string | undefined;
  readonly persistence: Persistence;
  /** Number of connected replicas. */
  readonly replicas: number;
  /** `min-replicas-to-write`; undefined if it is not reported. */
  readonly minReplicasToWrite: number | undefined;
  /** The server's clock minus that of this machine, in milliseconds. */
  readonly offsetMs: number;
}

/**
 * Reads the properties of one server, or of each master of a cluster.
 *
 * @param nowMs this machine's clock, in milliseconds since 1970
 * @throws StoreUnavailableError if a server does not respond
 */
export async function readRedisFacts(client: RedisClient, nowMs = Date.now): Promise<RedisFacts[]> {
  return ask(client, async (server) => {
    const [text, save, least] = await Promise.all([
      ifPermitted(server.info()),
      setting(server, 'save'),
      setting(server, 'min-replicas-to-write'),
    ]);
    const info = readInfo(text ?? '');
    return {
      runId: info.get('run_id') ?? '',
      version: info.get('redis_version'),
      policy: info.get('maxmemory_policy'),
      persistence: persistenceOf(info.get('aof_enabled') === '1', save),
      replicas: Number(info.get('connected_slaves') ?? 0),
      minReplicasToWrite: least === undefined ? undefined : Number(least),
      offsetMs: await clockOffset(server, nowMs),
    };
  });
}

/**
 * Returns the difference between the clocks of a store and of this machine in milliseconds; for a cluster the largest.
 *
 * @param nowMs this machine's clock, in milliseconds since 1970
 * @throws StoreUnavailableError if a server does not respond
 */
export async function readClockOffset(client: RedisClient, nowMs = Date.now): Promise<number> {
  const offsets = await ask(client, (server) => clockOffset(server, nowMs));
  return offsets.reduce((most, offset) => (Math.abs(offset) > Math.abs(most) ? offset : most), 0);
}

async function ask<T>(client: RedisClient, question: (server: Redis) => Promise<T>): Promise<T[]> {
  try {
    const servers = client instanceof Cluster ? client.nodes('master') : [client];
    return await Promise.all(servers.map(question));
  } catch (error) {
    throw asStoreError(error);
  }
}

/** The server's clock is compared with the middle of the request's duration. */
async function clockOffset(server: Redis, nowMs: () => number): Promise<number> {
  const askedMs = nowMs();
  const [seconds, micros] = await server.time();
  return Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - (askedMs + nowMs()) / 2);
}

async function setting(server: Redis, name: string): Promise<string | undefined> {
  return ((await ifPermitted(server.config('GET', name))) as string[] | undefined)?.[1];
}

/** Returns the reply, or undefined: providers rename CONFIG, and access rules forbid it or INFO. */
async function ifPermitted<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && /^(?:NOPERM|ERR unknown)/.test(error.message)) return undefined;
    throw error;
  }
}

function persistenceOf(appends: boolean, save: string | undefined): Persistence {
  if (appends) return 'append_only';
  if (save === undefined) return 'unknown';
  return save === '' ? 'none' : 'snapshots';
}

function readInfo(text: string): Map<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
}

/** The contents of a store. */
export type Held = 'sessions' | 'challenges';

/** The largest clock difference between a node and the store without a warning, in milliseconds. */
export const MAX_CLOCK_OFFSET_MS = 2000;

const OLDEST_VERSION = [6, 2] as const;

/** The oldest version with all commands, for messages. */
export const OLDEST_REDIS = OLDEST_VERSION.join('.');

/** Whether required commands are missing. */
export function isTooOld({ version }: Pick<RedisFacts, 'version'>): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1]);
}

/** Whether a server may drop keys when its memory is full. */
export function mayEvict({ policy }: Pick<RedisFacts, 'policy'>): boolean {
  return policy !== undefined && policy !== 'noeviction';
}

/** Returns a sentence for each problem of a server: too old, evicts keys, or lacks persistence. */
export function redisWarnings(facts: RedisFacts, holds: ReadonlySet<Held>): string[] {
  const { persistence, policy, version } = facts;
  const warnings: string[] = [];
  if (isTooOld(facts)) warnings.push(`Redis ${version} is older than ${OLDEST_REDIS}`);
  if (mayEvict(facts)) {
    warnings.push(
      `Redis may evict keys (maxmemory-policy ${policy}): sessions and spent challenges could be lost`,
    );
  }
  if (persistence === 'unknown') {
    warnings.push(
      'Redis reports no append-only file and does not tell whether it keeps snapshots (CONFIG GET is not allowed)',
    );
  }
  if (persistence === 'snapshots' && holds.has('challenges')) {
    warnings.push(
      'Redis keeps snapshots only: after a crash it accepts challenges that were spent since the last one; set appendonly yes',
    );
  }
  if ((persistence === 'snapshots' || persistence === 'none') && holds.has('sessions')) {
    warnings.push('Redis has no append-only file: a restart loses sessions; set appendonly yes');
  }
  return warnings;
}
