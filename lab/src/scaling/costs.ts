// The cost of one request of each operation for the service, the store and the network.
import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from '@tollgate/test-support/redis-server.js';
import { cpuSeconds } from '../cpu-time.js';
import type { Ground, Operation } from './operations.js';
import { type Prepared, send } from './send.js';
import { between, keysOf, readStore, type StoreReading } from './store-meter.js';

/** The cost of one request. Times are microseconds of processor time. */
export interface OperationCost {
  readonly name: string;
  readonly serviceMicros: number;
  /** Commands that the service sends to the store. */
  readonly commandsSent: number;
  /** Commands that the store executes, including those inside scripts. */
  readonly commandsExecuted: number;
  readonly storeMicros: number;
  /** Bytes to the store and from it. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Memory of the store, until the written data expire. */
  readonly storedBytes: number;
  readonly responseBytes: number;
  readonly failures: number;
  /** Keys that more than half of the requests use, although each comes from another user and address. */
  readonly hotKeys: readonly string[];
}

/** A store's work per second for idle processes. */
export type AtRest = Pick<StoreReading, 'cpuMicros' | 'commands' | 'bytesIn' | 'bytesOut'>;

const REST_MS = 3_000;
/** 6,000 requests of most operations, after which a refresh is warm. */
const WARM_UP_SHARE = 0.3;
/** Writes in the background may follow a response. */
const SETTLE_MS = 100;
const WATCHED = 50;
const HOT_SHARE = 0.5;

/** Commands that a process always sends: it follows the ended sessions, and reports its load each second. */
const FOLLOWING = /^xread | captcha:\{load\}/;

/** Measures warm, idle processes. */
export async function measureRest({ client }: RedisServer): Promise<AtRest> {
  const before = await readStore(client);
  await pause(REST_MS);
  return perUnit(between(before, await readStore(client)), REST_MS / 1000);
}

/** Measures one operation on an empty store. @param atRest is subtracted */
export async function measureCost(
  operation: Operation,
  ground: Ground,
  redis: RedisServer,
  atRest: AtRest,
): Promise<OperationCost> {
  const { name, connections, requests } = operation;
  await redis.client.flushall();
  const warmUp = Math.ceil(requests * WARM_UP_SHARE);
  const next = await operation.prepare(ground, requests + warmUp + WATCHED + 1);
  const servers = operation.servedBy(ground);
  const urls = servers.map(({ url }) => url);
  const run = (count: number, at = connections) =>
    send({ urls, connections: at, extent: { requests: count }, next });
  await tryOnce(operation, urls[0]!, next());
  await run(warmUp);
  const commands = await redis.commands(async () => {
    await run(WATCHED, 1);
    await pause(SETTLE_MS);
  });
  const cpuBefore = cpuOf(servers);
  const before = await readStore(redis.client);
  const sent = await run(requests);
  await pause(SETTLE_MS);
  const cpu = cpuOf(servers) - cpuBefore;
  const total = between(before, await readStore(redis.client));
  const perRequest = (value: number, rest: number) => (value - rest * sent.seconds) / sent.answered;
  const own = commands.filter((command) => !FOLLOWING.test(command));
  return {
    name,
    serviceMicros: (cpu * 1e6) / sent.answered,
    commandsSent: own.length / WATCHED,
    commandsExecuted: perRequest(total.commands, atRest.commands),
    storeMicros: perRequest(total.cpuMicros, atRest.cpuMicros),
    bytesIn: perRequest(total.bytesIn, atRest.bytesIn),
    bytesOut: perRequest(total.bytesOut, atRest.bytesOut),
    storedBytes: total.usedBytes / sent.answered,
    responseBytes: sent.responseBytes / sent.answered,
    failures: sent.failures,
    hotKeys: hotKeysOf(own),
  };
}

/** @throws Error unless the response contains the expected text; its status shows whether the others succeed */
async function tryOnce({ name, expected = '' }: Operation, url: string, request: Prepared): Promise<void> {
  const { method, path, headers = {}, body = null } = request;
  const response = await fetch(new URL(path, url), { method, headers, body });
  const text = await response.text();
  if (!response.ok || !text.includes(expected)) throw new Error(`${name} is answered ${text}`);
}

function hotKeysOf(commands: readonly string[]): string[] {
  const touches = new Map<string, number>();
  for (const key of commands.flatMap(keysOf)) touches.set(key, (touches.get(key) ?? 0) + 1);
  return [...touches].filter(([, count]) => count > WATCHED * HOT_SHARE).map(([key]) => key);
}

/** The processor time of several processes, in seconds. */
export function cpuOf(servers: readonly { readonly pid: number }[]): number {
  return servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
}

function perUnit({ cpuMicros, commands, bytesIn, bytesOut }: StoreReading, units: number): AtRest {
  return {
    cpuMicros: cpuMicros / units,
    commands: commands / units,
    bytesIn: bytesIn / units,
    bytesOut: bytesOut / units,
  };
}
