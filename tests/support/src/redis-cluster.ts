// A private Redis Cluster, by default of three masters: each rejects keys of other nodes, and scripts with keys of several
// slots.

import type { ChildProcess } from 'node:child_process';
import { Redis } from 'ioredis';
import { ageRedis } from './ageing.js';
import type { Owner } from './owner.js';
import { endProcess, launchAgain, launchOnFreePort } from './redis-process.js';
import { PERSISTENCE } from './redis-server.js';
import { tempDir } from './temp-dir.js';
import { until } from './until.js';

const SLOTS = 16_384;

/** The shape of the cluster. */
interface ClusterOptions {
  /** Number of masters; 3 by default. */
  readonly masters?: number;
  /** The persistence of each node; `none` by default. */
  readonly persistence?: keyof typeof PERSISTENCE;
  /** Whether each master has a replica that replaces it; not by default. */
  readonly replicas?: boolean;
  /** Silence after which a node counts as down, in milliseconds; 15,000 by default. */
  readonly nodeTimeoutMs?: number;
}

/** A running cluster. */
interface RedisCluster {
  /** Address of one master: a client finds the others by itself. */
  readonly url: string;
  /** Addresses of all initial masters. */
  readonly urlOfAll: string;
  /** The initial masters, in the order of their slots. */
  readonly masters: readonly ClusterNode[];
  /** The replicas in the order of their masters; none by default. */
  readonly replicas: readonly ClusterNode[];
  /** Deletes all data. */
  clear(): Promise<void>;
  /** Ages all data by a whole number of milliseconds. */
  age(ms: number): Promise<void>;
  /** Stops every node. */
  stop(): Promise<void>;
  /** Restarts them on their ports; resolves when the cluster serves. */
  start(): Promise<void>;
}

/** One server of a cluster. */
interface ClusterNode {
  readonly port: number;
  /** For inspection and preparation. */
  readonly client: Redis;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Freezes the process until `thaw`: connections stay open without replies. */
  freeze(): void;
  thaw(): void;
}

/** Starts a cluster; resolves when it serves. */
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
    // Two masters with one epoch would first have to resolve the conflict.
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
    // A single node does not know its address, and gives clients none.
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
