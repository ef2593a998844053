// A private Redis Cluster of three masters: each refuses keys that are not its own, and scripts whose keys lie apart.

import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { ageRedis } from './ageing.js';
import { endProcess, launchAgain, launchOnFreePort } from './redis-process.js';
import { PERSISTENCE } from './redis-server.js';
import { tempDir } from './temp-dir.js';

/** The slots of each master. */
const SLOTS = [
  [0, 5460],
  [5461, 10922],
  [10923, 16_383],
] as const;

const LONGEST_START_MS = 20_000;

/** A running cluster. */
export interface RedisCluster {
  /** Names one of its masters: a client finds the others by itself. */
  readonly url: string;
  /** Forgets all that it holds. */
  clear(): Promise<void>;
  /** Makes all that it holds older by a whole number of milliseconds. */
  age(ms: number): Promise<void>;
  /** Ends every master. */
  stop(): Promise<void>;
  /** Starts them again on their ports; resolves when the cluster serves. */
  start(): Promise<void>;
}

/** Starts a cluster; it serves when the promise resolves. */
export async function startRedisCluster(
  t: Pick<Test, 'teardown'>,
  persistence: keyof typeof PERSISTENCE = 'none',
): Promise<RedisCluster> {
  const masters = await Promise.all(SLOTS.map(() => startMaster(t, persistence)));
  const ports = masters.map(({ port }) => port);
  for (const [at, { client }] of masters.entries()) {
    const [from, to] = SLOTS[at]!;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
    // Two masters with one epoch would first have to settle which of them counts.
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  }
  for (const port of ports.slice(1)) {
    await masters[0]!.client.call('CLUSTER', 'MEET', '127.0.0.1', port);
  }
  await allServe(masters);
  return {
    url: `redis+cluster://127.0.0.1:${ports[0]}/`,
    async clear() {
      await Promise.all(masters.map(({ client }) => client.flushall()));
    },
    async age(ms) {
      await Promise.all(masters.map(({ client }) => ageRedis(client, ms)));
    },
    async stop() {
      await Promise.all(masters.map((master) => master.stop()));
    },
    async start() {
      await Promise.all(masters.map((master) => master.start()));
      await allServe(masters);
    },
  };
}

interface Master {
  readonly port: number;
  readonly client: Redis;
  stop(): Promise<void>;
  start(): Promise<void>;
}

async function startMaster(
  t: Pick<Test, 'teardown'>,
  persistence: keyof typeof PERSISTENCE,
): Promise<Master> {
  const args = ['--dir', tempDir(t), '--cluster-enabled', 'yes', ...PERSISTENCE[persistence]];
  const first = await launchOnFreePort(() => args);
  let server: ChildProcess = first.child;
  const client = new Redis({
    port: first.port,
    host: '127.0.0.1',
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
  });
  client.on('error', () => {});
  t.teardown(async () => {
    client.disconnect();
    await endProcess(server);
  });
  return {
    port: first.port,
    client,
    stop: () => endProcess(server),
    async start() {
      server = await launchAgain(first.port, args);
    },
  };
}

async function allServe(masters: readonly Master[]): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_START_MS;
  for (const { client } of masters) {
    for (;;) {
      const info = String(await client.call('CLUSTER', 'INFO'));
      if (/cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${masters.length}`)) break;
      if (performance.now() > deadlineMs) throw new Error('the cluster did not form');
      await pause(20);
    }
  }
}
