// A private Redis behind Sentinels, which tell clients the master's address and promote a replica when it fails.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Owner } from './owner.js';
import { endProcess, launchOnFreePort } from './redis-process.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { tempDir } from './temp-dir.js';
import { until } from './until.js';

const NAME = 'main';

/** The shape of the installation. */
interface SentinelOptions {
  /** Number of Sentinels; a majority must agree that the master is down. 1 by default. */
  readonly sentinels?: number;
  /** Silence after which a Sentinel considers the master down, in milliseconds; 500 by default. */
  readonly downAfterMs?: number;
  /** `min-replicas-to-write`; 0 by default. */
  readonly minReplicasToWrite?: number;
}

/** A master, its replica and the Sentinels that watch them. */
interface RedisSentinel {
  /** Addresses of every Sentinel. */
  readonly url: string;
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinels: readonly SentinelProcess[];
  /** Resolves when the replica has all current data of the master. */
  replicated(): Promise<void>;
  /** Resolves when the first Sentinel names the replica as the master. */
  promoted(): Promise<void>;
  /** Requests a planned failover; resolves when the replica is named as the master. */
  failOver(): Promise<void>;
}

/** A running Sentinel. */
interface SentinelProcess {
  readonly port: number;
  /** Freezes the process until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/** Starts all of them; resolves when each Sentinel knows the replica and the other Sentinels. */
export async function startRedisSentinel(
  t: Owner,
  { sentinels: count = 1, downAfterMs = 500, minReplicasToWrite = 0 }: SentinelOptions = {},
): Promise<RedisSentinel> {
  const settings = ['--min-replicas-to-write', String(minReplicasToWrite), '--min-replicas-max-lag', '2'];
  const [master, replica] = await Promise.all([
    startRedis(t, 'none', settings),
    startRedis(t, 'none', settings),
  ]);
  await replica.client.replicaof('127.0.0.1', master.port);
  const started = await Promise.all(
    Array.from({ length: count }, () =>
      startSentinel(t, [
        `sentinel monitor ${NAME} 127.0.0.1 ${master.port} ${Math.floor(count / 2) + 1}`,
        `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
        `sentinel failover-timeout ${NAME} 5000`,
      ]),
    ),
  );
  const [first] = started;
  if (first === undefined) throw new TypeError('at least one Sentinel is needed');

  const masterPort = async () =>
    Number(((await first.client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[])[1]);
  const knowsAll = async ({ client }: { readonly client: Redis }) => {
    const replicas = String(await client.call('SENTINEL', 'REPLICAS', NAME));
    const others = (await client.call('SENTINEL', 'SENTINELS', NAME)) as unknown[];
    return replicas.includes(`127.0.0.1:${replica.port}`) && others.length === count - 1;
  };
  const linkIsUp = async () => (await replica.client.info('replication')).includes('master_link_status:up');
  await until(linkIsUp, 'the replica follows its master');
  await until(
    async () => (await Promise.all(started.map(knowsAll))).every(Boolean),
    'the Sentinels know the replica and each other',
  );
  const promoted = () => until(async () => (await masterPort()) === replica.port, 'the replica was promoted');
  return {
    url: `redis+sentinel://${started.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    master,
    replica,
    sentinels: started,
    async replicated() {
      const offset = async ({ client }: RedisServer) =>
        /(?:master_repl_offset|slave_repl_offset):(\d+)/.exec(await client.info('replication'))?.[1];
      const wanted = await offset(master);
      await until(async () => Number(await offset(replica)) >= Number(wanted), 'the replica has caught up');
    },
    promoted,
    async failOver() {
      // A Sentinel promotes no replica with outdated replies, as on a busy machine.
      const isAccepted = () =>
        first.client.call('SENTINEL', 'FAILOVER', NAME).then(
          () => true,
          (error: Error) => {
            if (error.message.startsWith('NOGOODSLAVE')) return false;
            throw error;
          },
        );
      await until(isAccepted, 'a replica can be promoted');
      await promoted();
    },
  };
}

async function startSentinel(
  t: Owner,
  lines: readonly string[],
): Promise<SentinelProcess & { readonly client: Redis }> {
  const file = join(tempDir(t), 'sentinel.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const { child, port } = await launchOnFreePort(() => [file, '--sentinel']);
  const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null });
  client.on('error', () => {});
  t.teardown(async () => {
    client.disconnect();
    await endProcess(child);
  });
  return {
    port,
    client,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}
