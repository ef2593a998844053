// Reads what Redis servers report about themselves: version, persistence, eviction, replicas and clock.

import { Cluster, type Redis } from 'ioredis';
import { asStoreError, type RedisClient } from '../redis-connection.js';

/** What a server keeps of its data on the disk; unknown if it does not tell. */
export type Persistence = 'append_only' | 'snapshots' | 'none' | 'unknown';

/** What a Redis server reports about itself. */
export interface RedisFacts {
  /** Differs between any two running servers. */
  readonly runId: string;
  /** Such as `7.2.4`; undefined if the server does not tell. */
  readonly version: string | undefined;
  /** `maxmemory-policy`; undefined if the server does not report it. */
  readonly policy: string | undefined;
  readonly persistence: Persistence;
  /** Number of replicas that are connected. */
  readonly replicas: number;
  /** `min-replicas-to-write`; undefined if the server does not tell. */
  readonly minReplicasToWrite: number | undefined;
  /** The server's clock minus that of this machine, in milliseconds. */
  readonly offsetMs: number;
}

/**
 * Reads the facts of one server, or of each master of a cluster.
 *
 * @param nowMs this machine's clock, in milliseconds since 1970
 * @throws StoreUnavailableError if a server does not answer
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
 * Returns the difference between the clocks of a store and of this machine in milliseconds; of a cluster the largest.
 *
 * @param nowMs this machine's clock, in milliseconds since 1970
 * @throws StoreUnavailableError if a server does not answer
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

/** The server's clock is compared with the middle of the time that the question took. */
async function clockOffset(server: Redis, nowMs: () => number): Promise<number> {
  const askedMs = nowMs();
  const [seconds, micros] = await server.time();
  return Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - (askedMs + nowMs()) / 2);
}

async function setting(server: Redis, name: string): Promise<string | undefined> {
  return ((await ifPermitted(server.config('GET', name))) as string[] | undefined)?.[1];
}

/** Returns the reply, or undefined: providers rename CONFIG, and rules of access forbid it or INFO. */
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
