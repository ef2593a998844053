// A private Redis behind a Sentinel, which tells clients where the master is and promotes its replica when it is gone.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { endProcess, launchOnFreePort } from './redis-process.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { tempDir } from './temp-dir.js';

const NAME = 'main';
const DOWN_AFTER_MS = 500;
const LONGEST_WAIT_MS = 20_000;

/** A master, its replica and the Sentinel that watches them. */
export interface RedisSentinel {
  readonly url: string;
  readonly master: RedisServer;
  readonly replica: RedisServer;
  /** Resolves when the replica holds all that the master holds now. */
  replicated(): Promise<void>;
  /** Resolves when the Sentinel names the replica as the master. */
  promoted(): Promise<void>;
}

/** Starts all three; the Sentinel knows the replica when the promise resolves. */
export async function startRedisSentinel(t: Pick<Test, 'teardown'>): Promise<RedisSentinel> {
  const [master, replica] = await Promise.all([startRedis(t), startRedis(t)]);
  await replica.client.replicaof('127.0.0.1', master.port);
  const file = join(tempDir(t), 'sentinel.conf');
  writeFileSync(
    file,
    [
      `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${NAME} 5000`,
      '',
    ].join('\n'),
  );
  const { child, port } = await launchOnFreePort(() => [file, '--sentinel']);
  const sentinel = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null });
  sentinel.on('error', () => {});
  t.teardown(async () => {
    sentinel.disconnect();
    await endProcess(child);
  });

  const masterPort = async () =>
    Number(((await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[])[1]);
  const knowsReplica = async () =>
    String(await sentinel.call('SENTINEL', 'REPLICAS', NAME)).includes(`127.0.0.1:${replica.port}`);
  const linkIsUp = async () => (await replica.client.info('replication')).includes('master_link_status:up');
  await until(linkIsUp, 'the replica follows its master');
  await until(knowsReplica, 'the Sentinel knows the replica');
  return {
    url: `redis+sentinel://127.0.0.1:${port}/${NAME}`,
    master,
    replica,
    async replicated() {
      const offset = async ({ client }: RedisServer) =>
        /(?:master_repl_offset|slave_repl_offset):(\d+)/.exec(await client.info('replication'))?.[1];
      const wanted = await offset(master);
      await until(async () => Number(await offset(replica)) >= Number(wanted), 'the replica has caught up');
    },
    promoted: () => until(async () => (await masterPort()) === replica.port, 'the replica was promoted'),
  };
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`it never came that ${what}`);
    await pause(20);
  }
}
