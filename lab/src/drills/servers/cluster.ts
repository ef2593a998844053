// A Redis Cluster of three masters, each with a replica.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '@tollgate/test-support/until.js';
import type { Lab, Topology } from './lab.js';
import { type RedisServer, startRedis } from './redis.js';
import { findProgram } from './server-process.js';

/** The topology. */
export interface OnCluster extends Topology {
  readonly masters: readonly [RedisServer, RedisServer, RedisServer];
  /** Moves slots from the first master to the second, as an operator does. */
  reshard(slots: number): Promise<void>;
}

/** Silence after which a node counts as down, in milliseconds. */
const NODE_TIMEOUT_MS = 1_500;
const MASTERS = 3;
const RESHARD_MS = 60_000;
const run = promisify(execFile);

/** Opens the topology. */
export async function onCluster(lab: Lab): Promise<OnCluster> {
  const servers = await Promise.all(Array.from({ length: 2 * MASTERS }, () => startNode(lab)));
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  const manage = async (...words: string[]) => {
    const program = findProgram(lab, ['redis-cli', 'valkey-cli']);
    const options = { env: lab.environment as NodeJS.ProcessEnv, timeout: RESHARD_MS };
    await run(program, ['--cluster', ...words, '--cluster-yes'], options);
  };
  await manage('create', ...addresses, '--cluster-replicas', '1');
  const masters = servers.slice(0, MASTERS) as unknown as OnCluster['masters'];
  await until(async () => {
    const infos = await Promise.all(servers.map(({ command }) => command('CLUSTER', 'INFO')));
    return infos.every((info) => info.includes('cluster_state:ok'));
  }, 'the cluster serves');
  await until(async () => {
    const replicas = servers.slice(MASTERS);
    const infos = await Promise.all(replicas.map(({ command }) => command('INFO', 'replication')));
    return infos.every((info) => info.includes('master_link_status:up'));
  }, 'the replicas follow their masters');
  return {
    environment: { STORE_URL: `redis+cluster://${addresses.slice(0, MASTERS).join(',')}/` },
    masters,
    async reshard(slots) {
      const [from, to] = await Promise.all([
        masters[0].command('CLUSTER', 'MYID'),
        masters[1].command('CLUSTER', 'MYID'),
      ]);
      const [address = ''] = addresses;
      const route = ['--cluster-from', from, '--cluster-to', to, '--cluster-slots', String(slots)];
      await manage('reshard', address, ...route);
    },
  };
}

async function startNode(lab: Lab): Promise<RedisServer> {
  const busPort = await lab.freePort();
  return startRedis(lab, {
    args: [
      ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
      ...['--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
    ],
  });
}
