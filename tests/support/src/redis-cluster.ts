// A private Redis Cluster, of three masters unless said: each refuses keys that are not its own, and scripts whose keys lie apart.

import type { ChildProcess } from 'node:child_process';
import { Redis } from 'ioredis';
import { ageRedis } from './ageing.js';
import { type Owner, release } from './owner.js';
import { endProcess, launchAgain, launchOnFreePort } from './redis-process.js';
import { PERSISTENCE } from './redis-server.js';
import { tempDir } from './temp-dir.js';
import { until } from './until.js';

const SLOTS = 16_384;

/** The shape of the cluster. */
export interface ClusterOptions {
  /** Number of masters; 3 by default. */
  readonly masters?: number;
  /** What each node keeps on the disk; `none` by default. */
  readonly persistence?: keyof typeof PERSISTENCE;
  /** Whether each master has a replica that takes its place; not by default. */
  readonly replicas?: boolean;
  /** Silence after which a node counts as down, in milliseconds; 15,000 by default. */
  readonly nodeTimeoutMs?: number;
}

/** A running cluster. */
export interface RedisCluster {
  /** Names one of its masters: a client finds the others by itself. */
  readonly url: string;
  /** Names all of its first masters. */
  readonly urlOfAll: string;
  /** The nodes that were made masters, in the order of their slots. */
  readonly masters: readonly ClusterNode[];
  /** The replicas in the order of their masters; none by default. */
  readonly replicas: readonly ClusterNode[];
  /** Forgets all that it holds. */
  clear(): Promise<void>;
  /** Makes all that it holds older by a whole number of milliseconds. */
  age(ms: number): Promise<void>;
  /** Ends every node. */
  stop(): Promise<void>;
  /** Starts them again on their ports; resolves when the cluster serves. */
  start(): Promise<void>;
}

/** One server of a cluster. */
export interface ClusterNode {
  readonly port: number;
  /** For looking and for preparing. */
  readonly client: Redis;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the process where it is until `thaw`: connections stay open, and nothing is answered. */
  freeze(): void;
  thaw(): void;
}

/** Starts a cluster; it serves when the promise resolves. */
export async function startRedisCluster(t: Owner, options: ClusterOptions = {}): Promise<RedisCluster> {
  const { masters: count = 3, persistence = 'none', replicas: hasReplicas = false } = options;
  const { nodeTimeoutMs = 15_000 } = options;
  const settings = [...PERSISTENCE[persistence], '--cluster-node-timeout', String(nodeTimeoutMs)];
  const start = () => Promise.all(Array.from({ length: count }, () => startNode(t, settings)));
  const masters = await start();
  const replicas = hasReplicas ? await start() : [];
  const nodes = [...masters, ...replicas];
  const ports = masters.map(({ port }) => port);
  for (const [at, { client }] of masters.entries()) {
    const [from, to] = [at, at + 1].map((edge) => Math.floor((edge * SLOTS) / count)) as [number, number];
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
    // Two masters with one epoch would first have to settle which of them counts.
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  }
  for (const { port } of nodes.slice(1)) {
    await masters[0]!.client.call('CLUSTER', 'MEET', '127.0.0.1', port);
  }
  await allServe(nodes);
  for (const [at, { client }] of replicas.entries()) {
    const id = String(await masters[at]!.client.call('CLUSTER', 'MYID'));
    await until(
      async () => (await client.call('CLUSTER', 'REPLICATE', id)) === 'OK',
      'the replica knows its master',
    );
    await until(
      async () => (await client.info('replication')).includes('master_link_status:up'),
      'the replica follows its master',
    );
  }
  return {
    url: `redis+cluster://127.0.0.1:${ports[0]}/`,
    urlOfAll: `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/`,
    masters,
    replicas,
    async clear() {
      await Promise.all(masters.map(({ client }) => client.flushall()));
    },
    async age(ms) {
      await Promise.all(masters.map(({ client }) => ageRedis(client, ms)));
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
    async start() {
      await Promise.all(nodes.map((node) => node.start()));
      await allServe(nodes);
    },
  };
}

async function startNode(t: Owner, settings: readonly string[]): Promise<ClusterNode> {
  const args = [
    '--dir',
    tempDir(t),
    '--cluster-enabled',
    'yes',
    // A node that is alone learns its address from nobody, and tells clients none.
    '--cluster-announce-ip',
    '127.0.0.1',
    '--repl-diskless-sync-delay',
    '0',
    ...settings,
  ];
  const first = await launchOnFreePort(() => args);
  let server: ChildProcess = first.child;
  const client = new Redis({
    port: first.port,
    host: '127.0.0.1',
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
  });
  client.on('error', () => {});
  release(t, server, client);
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
      release(t, server, client);
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
  };
}

async function allServe(nodes: readonly ClusterNode[]): Promise<void> {
  for (const { client } of nodes) {
    await until(async () => {
      const info = String(await client.call('CLUSTER', 'INFO'));
      return /cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${nodes.length}`);
    }, 'the cluster serves');
  }
}
