// The growth of throughput with cluster masters and service processes, on small machines.
import { once } from 'node:events';
import { openStore } from '@tollgate/shared/store';
import type { Redis } from 'ioredis';
import { cpuOf } from './costs.js';
import { type Fleet, type FleetNode, startFleet } from './fleet.js';
import { type Ground, ISSUE_WORK, type Operation, REFRESH } from './operations.js';
import { send } from './send.js';
import { onSmallMachines } from './small-machines.js';
import { between, readStore, type StoreReading } from './store-meter.js';

/** A store of one or more servers. */
interface Servers {
  readonly url: string;
  readonly masters: readonly { readonly client: Redis }[];
}

/** The results of a number of small machines. */
export interface Growth {
  readonly operation: string;
  /** Which processes were limited, and their number. */
  readonly kind: 'masters' | 'processes';
  readonly machines: number;
  readonly requestsPerSecond: number;
  /** Processor time of a request, in microseconds: of the service, and of all masters together. */
  readonly serviceMicros: number;
  readonly storeMicros: number;
  /** Share of a core that each small machine used. */
  readonly used: readonly number[];
  /** For each master, its share of all commands and of all keys. */
  readonly commandShares: readonly number[];
  readonly keyShares: readonly number[];
  readonly failures: number;
}

/** Shares of a core for each small machine. */
export interface Shares {
  readonly masters: number;
  readonly processes: number;
  /** Connections for each: more would wait longer than the services' store timeout. */
  readonly connections: number;
}

/** Small enough that the machines below saturate long before this one does. @param factor multiplies them */
export function sharesOf(factor: number): Shares {
  return { masters: 0.02 * factor, processes: 0.05 * factor, connections: Math.ceil(80 * factor) };
}

const SECONDS = 6;
const WARM_UP_SECONDS = 2;
/** More sessions than are refreshed in that time. */
const SUPPLY = 30_000;
const MEASURED = [ISSUE_WORK, REFRESH];

/** Measures with small masters; the services are not limited. */
export async function growMasters(servers: Servers, shares: Shares): Promise<Growth[]> {
  const fleet = await startFleet(servers.url, 1);
  try {
    const pids = await Promise.all(servers.masters.map(({ client }) => pidOf(client)));
    const machines: SmallMachines = { kind: 'masters', pids: () => pids, shares };
    return await measureAll(servers, fleet, machines);
  } finally {
    await fleet.close();
  }
}

/** Measures with `count` small processes of each service; the store is not limited. */
export async function growProcesses(servers: Servers, count: number, shares: Shares): Promise<Growth[]> {
  const fleet = await startFleet(servers.url, count);
  try {
    const pids = (nodes: readonly Pick<FleetNode, 'pid'>[]) => nodes.map(({ pid }) => pid);
    return await measureAll(servers, fleet, { kind: 'processes', pids, shares });
  } finally {
    await fleet.close();
  }
}

interface SmallMachines {
  readonly kind: Growth['kind'];
  /** The limited processes of those that serve an operation. */
  readonly pids: (nodes: readonly Pick<FleetNode, 'pid'>[]) => readonly number[];
  readonly shares: Shares;
}

async function measureAll(servers: Servers, fleet: Fleet, machines: SmallMachines): Promise<Growth[]> {
  const store = openStore(servers.url, '.');
  if (store.kind === 'redis' && !store.isReady()) await once(store.client, 'ready');
  const ground = { fleet, store, storeUrl: servers.url };
  const results: Growth[] = [];
  try {
    for (const operation of MEASURED) results.push(await measure(servers, operation, ground, machines));
  } finally {
    await store.close();
  }
  return results;
}

async function measure(
  { masters }: Servers,
  operation: Operation,
  ground: Ground,
  { kind, pids, shares }: SmallMachines,
): Promise<Growth> {
  const next = await operation.prepare(ground, SUPPLY);
  const nodes = operation.servedBy(ground);
  const urls = nodes.map(({ url }) => url);
  const small = pids(nodes);
  const connections = shares.connections * small.length;
  const run = (seconds: number) => send({ urls, connections, extent: { seconds }, next });
  await run(WARM_UP_SECONDS);
  return await onSmallMachines(small, shares[kind], async () => {
    // No accumulated share remains when the measurement begins.
    await run(WARM_UP_SECONDS);
    const cpuBefore = [cpuOf(nodes), small.map((pid) => cpuOf([{ pid }]))] as const;
    const before = await readAll(masters);
    const sent = await run(SECONDS);
    const total = (await readAll(masters)).map((reading, at) => between(before[at]!, reading));
    const service = cpuOf(nodes) - cpuBefore[0];
    const used = small.map((pid, at) => (cpuOf([{ pid }]) - cpuBefore[1][at]!) / sent.seconds);
    const held = await readAll(masters);
    const sum = (of: (reading: StoreReading) => number) => total.reduce((all, one) => all + of(one), 0);
    const keys = held.reduce((all, one) => all + one.keys, 0);
    return {
      operation: operation.name,
      kind,
      machines: small.length,
      requestsPerSecond: sent.answered / sent.seconds,
      serviceMicros: (service * 1e6) / sent.answered,
      storeMicros: sum(({ cpuMicros }) => cpuMicros) / sent.answered,
      used,
      commandShares: total.map(({ commands }) => commands / sum((one) => one.commands)),
      keyShares: held.map((one) => one.keys / keys),
      failures: sent.failures,
    };
  });
}

const readAll = (masters: Servers['masters']) => Promise.all(masters.map(({ client }) => readStore(client)));

async function pidOf(client: Redis): Promise<number> {
  return Number(/^process_id:(\d+)/m.exec(await client.info('server'))?.[1]);
}
