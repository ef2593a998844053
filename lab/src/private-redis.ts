// A private Redis server for a program that measures.
import { type RedisServer, startRedis } from '@tollgate/test-support/redis-server.js';
import { pin } from './cores.js';

export interface PrivateRedis extends RedisServer {
  readonly pid: number;
  readonly version: string;
  /** Bytes that its data need. */
  usedBytes(): Promise<number>;
  close(): Promise<void>;
}

/**
 * @param cores where it runs; anywhere unless said
 * @param persistence `always` has each write on the disk before it is answered
 */
export async function openPrivateRedis(
  cores?: readonly number[],
  persistence: 'none' | 'always' = 'none',
): Promise<PrivateRedis> {
  const closers: (() => unknown)[] = [];
  const teardown = (closer?: () => unknown) => {
    if (closer !== undefined) closers.unshift(closer);
  };
  const redis = await startRedis({ teardown }, persistence);
  const info = async (name: string) =>
    new RegExp(`^${name}:(\\S+)`, 'm').exec(await redis.client.info())?.[1] ?? '';
  const pid = Number(await info('process_id'));
  if (cores !== undefined) pin(pid, cores);
  return {
    ...redis,
    pid,
    version: await info('redis_version'),
    usedBytes: async () => Number(await info('used_memory')),
    async close() {
      for (const closer of closers) await closer();
    },
  };
}
