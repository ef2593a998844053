// A master with two replicas behind three Sentinels.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@tollgate/test-support/until.js';
import type { Lab, Topology } from './lab.js';
import { type RedisServer, redisCommand, startRedis } from './redis.js';
import { findProgram, launchServer } from './server-process.js';

/** The topology. */
export interface OnSentinel extends Topology {
  readonly master: RedisServer;
  readonly replicas: readonly RedisServer[];
  /** Requests a planned failover from one Sentinel; resolves when that names another master. */
  failOver(): Promise<void>;
}

interface SentinelOptions {
  /** `min-replicas-to-write`: with fewer connected replicas the master rejects writes; 0 by default. */
  readonly minReplicasToWrite?: number;
}

const NAME = 'main';
const SENTINELS = 3;
/** Silence after which a Sentinel considers the master down, in milliseconds. */
const DOWN_AFTER_MS = 1_500;

/** Opens the topology. */
export function onSentinel({ minReplicasToWrite = 0 }: SentinelOptions = {}) {
  return async (lab: Lab): Promise<OnSentinel> => {
    const args = ['--min-replicas-to-write', String(minReplicasToWrite), '--min-replicas-max-lag', '2'];
    const [master, ...replicas] = (await Promise.all(
      Array.from({ length: 3 }, () => startRedis(lab, { args })),
    )) as [RedisServer, ...RedisServer[]];
    for (const replica of replicas) await replica.command('REPLICAOF', '127.0.0.1', String(master.port));
    // A Sentinel reads a master's replicas when it starts, and then every ten seconds.
    await until(async () => {
      const infos = await Promise.all(replicas.map(({ command }) => command('INFO', 'replication')));
      return infos.every((info) => info.includes('master_link_status:up'));
    }, 'the replicas follow the master');
    const ports = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(lab, master.port)));
    const ask = (port: number, ...words: string[]) => redisCommand(lab, port, ['SENTINEL', ...words]);
    const knowsAll = async (port: number) => {
      const [known, others] = [await ask(port, 'REPLICAS', NAME), await ask(port, 'SENTINELS', NAME)];
      return (
        replicas.every((replica) => known.includes(`127.0.0.1:${replica.port}`)) &&
        ports.every((other) => other === port || others.split('\n').includes(String(other)))
      );
    };
    await until(
      async () => (await Promise.all(ports.map(knowsAll))).every(Boolean),
      'the Sentinels know the replicas and each other',
    );
    const [first] = ports as [number, ...number[]];
    const addresses = ports.map((port) => `127.0.0.1:${port}`).join(',');
    return {
      environment: { STORE_URL: `redis+sentinel://${addresses}/${NAME}` },
      master,
      replicas,
      async failOver() {
        const before = await ask(first, 'GET-MASTER-ADDR-BY-NAME', NAME);
        await ask(first, 'FAILOVER', NAME);
        await until(
          async () => (await ask(first, 'GET-MASTER-ADDR-BY-NAME', NAME)) !== before,
          'another master is named',
        );
      },
    };
  };
}

async function startSentinel(lab: Lab, masterPort: number): Promise<number> {
  const port = await lab.freePort();
  const file = join(lab.folder, `sentinel-${port}.conf`);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} ${Math.floor(SENTINELS / 2) + 1}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 5000`,
    `sentinel parallel-syncs ${NAME} 2`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  await launchServer(lab, {
    name: `Sentinel on port ${port}`,
    program: findProgram(lab, ['redis-server', 'valkey-server']),
    args: [file, '--sentinel'],
    ready: /\+monitor master/,
  });
  return port;
}
