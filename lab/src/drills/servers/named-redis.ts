// A Redis behind a name: a master, its replica, and a proxy that represents the name and can move to the other one.
import { startTcpProxy, type TcpProxy } from '@tollgate/test-support/tcp-proxy.js';
import { until } from '@tollgate/test-support/until.js';
import type { Lab, Topology } from './lab.js';
import { type RedisServer, startRedis } from './redis.js';

/** The topology. */
export interface OnNamedRedis extends Topology {
  /** The address that the services connect to. */
  readonly name: TcpProxy;
  readonly master: RedisServer;
  readonly replica: RedisServer;
}

/** Opens the topology. */
export async function onNamedRedis(lab: Lab): Promise<OnNamedRedis> {
  const [master, replica] = await Promise.all([startRedis(lab), startRedis(lab)]);
  await replica.command('REPLICAOF', '127.0.0.1', String(master.port));
  await until(
    async () => (await replica.command('INFO', 'replication')).includes('master_link_status:up'),
    'the replica follows the master',
  );
  const teardown = (close?: () => unknown) => lab.onClose(() => close?.());
  const name = await startTcpProxy({ teardown } as Parameters<typeof startTcpProxy>[0], master.port);
  return { environment: { STORE_URL: name.url }, name, master, replica };
}
