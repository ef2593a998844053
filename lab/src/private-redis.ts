// A private Redis server for a measuring program.
import { type RedisServer, startRedis } from '@tollgate/test-support/redis-server.js';
import { pin } from './cores.js';

export interface PrivateRedis extends RedisServer {
  readonly pid: number;
  readonly version: string;
  /** Size of its data in bytes. */
  usedBytes(): Promise<number>;
  close(): Promise<void>;
}

/**
 * @param cores to run on; any by default
 * @param persistence `always` writes each command to disk before its reply
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
