// The Redis connection: opens it, batches its commands, and runs scripts.

import { readFileSync } from 'node:fs';
import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis';
import { sentinelConnector } from './sentinel/sentinel-connector.js';
import { type SentinelWatch, watchSentinels } from './sentinel/sentinel-watch.js';
import {
  ANSWER_LIMIT_MS,
  onceArrived,
  type StoreObserver,
  type StoreOperations,
  StoreUnavailableError,
  secondsSince,
  within,
} from './store.js';
import type { StoreAddress } from './store-url.js';

/** A client of one Redis server, of a Sentinel's master or of a cluster. */
export type RedisClient = Redis | Cluster;

/** Time without a reply to a pending command after which a connection is dropped, in milliseconds. */
const SILENCE_MS = 1500;

const READER_CONNECT_TIMEOUT_MS = 2000;

// Without a queue a command fails at once while Redis is unreachable, so a request gets a 503 instead of hanging.
const CLIENT_OPTIONS = {
  enableOfflineQueue: false,
  commandTimeout: ANSWER_LIMIT_MS,
  connectTimeout: 1000,
  // A frozen server never closes its side.
  disconnectTimeout: 100,
  socketTimeout: SILENCE_MS,
  maxLoadingRetryTime: 1000,
  maxRetriesPerRequest: null,
  retryStrategy: reconnectDelayMs,
  enableReadyCheck: true,
} satisfies RedisOptions;

// Replies of a server that is not the master, at the start of a line or of the error inside a script.
const NO_MASTER = /(?:^|: -)(?:READONLY|LOADING|MASTERDOWN|UNBLOCKED)\b/;

/** Shortest time between two connections dropped for such a reply, in milliseconds. */
const LEAVE_AGAIN_MS = 1000;

/**
 * Returns a function that tells whether to drop a connection after an error reply: the name or the Sentinel may resolve to a
 * master by now. A connection to a permanent replica is dropped once a second, so that reads still succeed.
 */
function leavesDeposed(): (error: Error) => boolean {
  let leftAtMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    if (!NO_MASTER.test(message) || performance.now() - leftAtMs < LEAVE_AGAIN_MS) return false;
    leftAtMs = performance.now();
    return true;
  };
}

/** Returns the delay before the n-th attempt to reconnect: from 100 to 1,000 milliseconds. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(100 * attempt, 1000);
}

const watches = new WeakMap<RedisClient, SentinelWatch>();

/** Ends the connections of a client. */
function closeRedis(client: RedisClient): void {
  watches.get(client)?.close();
  // quit() would wait for a reply that an unreachable store never sends.
  client.disconnect();
}

/** Opens a client. It connects in the background, and its connection may fail. */
export function openRedis(address: Exclude<StoreAddress, { kind: 'embedded' }>): RedisClient {
  const client = connect(address, { ...CLIENT_OPTIONS, reconnectOnError: leavesDeposed() });
  gatherCommands(client);
  // An error event without a listener would end the process. A watch of the store reports the errors.
  client.on('error', (error: Error) => {
    // The client would continue with database 0.
    if (client instanceof Redis && error.message.includes('DB index is out of range'))
      client.stream.destroy();
  });
  return client;
}

/** Returns a client's longest wait for a reply, in milliseconds. */
function commandTimeoutOf(client: RedisClient): number {
  return connectionOptions(client).commandTimeout ?? ANSWER_LIMIT_MS;
}

/** Returns whether the connections of a client use TLS. */
export function usesTls(client: RedisClient): boolean {
  return !!connectionOptions(client).tls;
}

function connectionOptions({ options }: RedisClient): Partial<RedisOptions> {
  return 'redisOptions' in options ? (options.redisOptions ?? {}) : (options as RedisOptions);
}

/**
 * Opens another connection to a client's server, for blocking reads. It does not reconnect: when it breaks its commands
 * fail, and the caller opens another.
 *
 * @param waitMs longest wait of a read, in milliseconds
 * @throws StoreUnavailableError if it cannot connect within two seconds
 */
export async function openReader(client: RedisClient, waitMs: number): Promise<RedisClient> {
  const once = {
    lazyConnect: true,
    retryStrategy: () => null,
    commandTimeout: waitMs + ANSWER_LIMIT_MS,
    socketTimeout: waitMs + SILENCE_MS,
    autoResendUnfulfilledCommands: false,
  } satisfies RedisOptions;
  const reader =
    client instanceof Cluster
      ? client.duplicate([], { lazyConnect: true, clusterRetryStrategy: () => null, redisOptions: once })
      : client.duplicate(once);
  reader.on('error', () => {});
  // Whatever ends the client's connection also ends this one: the server may no longer be the master.
  const end = () => reader.disconnect();
  client.once('close', end);
  reader.once('end', () => client.off('close', end));
  try {
    await within(READER_CONNECT_TIMEOUT_MS, reader.connect());
    return reader as RedisClient;
  } catch (error) {
    reader.disconnect();
    throw asStoreError(error);
  }
}

function connect(
  address: Exclude<StoreAddress, { kind: 'embedded' }>,
  clientOptions: typeof CLIENT_OPTIONS & Pick<RedisOptions, 'reconnectOnError'>,
): RedisClient {
  switch (address.kind) {
    case 'redis':
      return new Redis(address.url, clientOptions);
    case 'sentinel': {
      const watch = watchSentinels(address.sentinels, address.name, {
        retryDelayMs: reconnectDelayMs,
        ...tlsOf(address),
      });
      const client = new Redis({
        ...clientOptions,
        ...credentials(address),
        ...tlsOf(address),
        db: address.db,
        Connector: sentinelConnector(watch),
      });
      watches.set(client, watch);
      return client;
    }
    case 'cluster': {
      const cluster: Cluster = new Cluster([...address.nodes], {
        enableOfflineQueue: false,
        clusterRetryStrategy(attempt, reason) {
          // The client does not report an unknown host name.
          if (reason !== undefined) cluster.emit('error', reason);
          return reconnectDelayMs(attempt);
        },
        scaleReads: 'master',
        // The client would connect to the address of a name, and a certificate would have to contain it.
        ...(address.usesTls && { dnsLookup: (host, use) => use(null, host) }),
        redisOptions: { ...clientOptions, ...credentials(address), ...tlsOf(address) },
      });
      return cluster;
    }
  }
}

function credentials(address: { username?: string; password?: string }): {
  username?: string;
  password?: string;
} {
  return {
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
  };
}

/** Certificates are checked as for `rediss://`. */
function tlsOf({ usesTls }: { readonly usesTls?: true }): Pick<RedisOptions, 'tls'> {
  return usesTls ? { tls: {} } : {};
}

// Redis 6 puts the error of a command inside a script at the end of a longer line, after a minus sign.
const UNABLE =
  /(?:^|: -)(?:LOADING|CLUSTERDOWN|MASTERDOWN|READONLY|UNBLOCKED|OOM|TRYAGAIN|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b/;

/** Converts an error of a Redis client to a StoreUnavailableError; returns a reply that reports a bug unchanged. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof Error && error.name === 'ReplyError' && !UNABLE.test(error.message)) return error;
  return new StoreUnavailableError('the store is unreachable', { cause: error });
}

/** The part of a socket that batching uses. */
interface Corkable {
  readonly writableCorked: number;
  cork(): void;
  uncork(): void;
}

/**
 * Sends all commands of one turn of the event loop in one write, on every connection of a client: single writes take a
 * quarter of the time of a small request. Time limits count from the call, and the batch of a broken connection counts as
 * sent without a reply.
 *
 * A command whose caller was already told of its failure is not sent again on another connection. The client itself only
 * drops such a command when its reply arrives. None times out while its reply waits in the socket.
 */
export function gatherCommands(client: Redis | Cluster): void {
  if (client instanceof Cluster) {
    client.on('+node', gatherCommands);
    return;
  }
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, stream) => {
    if (command.isSettled) return command.promise;
    waitForArrived(command);
    // There is no socket before the first connection.
    const socket: Corkable | undefined = client.stream;
    if (socket !== undefined) gather(socket);
    return send(command, stream);
  };
}

/** The client's message about a command that has timed out. */
const TIMED_OUT = 'Command timed out';

function waitForArrived(command: Command): void {
  const { reject } = command;
  command.reject = (error) => {
    if (error.message !== TIMED_OUT) return reject(error);
    onceArrived(() => {
      if (!command.isSettled) reject(error);
    });
  };
}

/** Buffers writes to a socket until all arrived data has been processed. */
function gather(socket: Corkable): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(release, socket);
}

// Without effect on a socket that was ended or destroyed meanwhile; ending it has flushed the buffer.
function release(socket: Corkable): void {
  socket.uncork();
}

/** A script as a function of its keys and arguments. Throws StoreUnavailableError if there is no reply. */
type RedisScript<Reply> = (keys: readonly string[], args: readonly (string | number)[]) => Promise<Reply>;

const observers = new WeakMap<RedisClient, StoreObserver[]>();

/** Reports every operation of a client to an observer from now on, in addition to earlier observers. */
function observeClient(client: RedisClient, observer: StoreObserver): void {
  observers.set(client, [...observersOf(client), observer]);
}

function observersOf(client: RedisClient): readonly StoreObserver[] {
  return observers.get(client) ?? [];
}

/**
 * Reads a `.lua` file and registers it with a client. The client sends the script's SHA, and its source if the server does
 * not know it.
 *
 * @param folder folder of the script, as a file URL ending in `/`
 * @param name name of the file without `.lua`
 */
export function loadScript<Reply>(client: RedisClient, folder: URL, name: string): RedisScript<Reply> {
  const command = `tollgate_${name}`;
  client.defineCommand(command, { lua: readFileSync(new URL(`${name}.lua`, folder), 'utf8') });
  const run = (client as unknown as Record<string, (...args: unknown[]) => Promise<Reply>>)[command];
  if (run === undefined) throw new TypeError(`the client did not define ${command}`);
  return (keys, args) => replyOf(client, run.call(client, keys.length, ...keys, ...args));
}

/**
 * Waits for the reply to a command that was just sent, and reports it to the observer of the client.
 * @throws StoreUnavailableError if there is no reply
 */
export async function replyOf<T>(client: RedisClient, reply: Promise<T>): Promise<T> {
  const startMs = performance.now();
  try {
    const value = await limited(client, reply);
    const seconds = secondsSince(startMs);
    for (const observer of observersOf(client)) observer.took(seconds);
    return value;
  } catch (error) {
    for (const observer of observersOf(client)) observer.failed(error);
    throw asStoreError(error);
  }
}

/** A cluster client resends a command while it looks for the master of its slot, without a limit. */
function limited<T>(client: RedisClient, reply: Promise<T>): Promise<T> {
  return client.isCluster ? within(commandTimeoutOf(client), reply) : reply;
}

/** A store on Redis. Scripts run on its `client`. */
export interface RedisStore extends StoreOperations {
  readonly kind: 'redis';
  readonly client: RedisClient;
}

/** Creates a store from a client. */
export function createRedisStore(client: RedisClient): RedisStore {
  return {
    kind: 'redis',
    client,
    read: async (key) => (await replyOf(client, client.get(key))) ?? undefined,
    exchange: (key, value, ttlMs) => replyOf(client, client.set(key, value, 'PX', ttlMs, 'GET')),
    async timeMs() {
      try {
        const [seconds, micros] = await client.time();
        return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
      } catch (error) {
        throw asStoreError(error);
      }
    },
    // Redis removes expired keys itself.
    prune: async () => 0,
    isReady: () => client.status === 'ready',
    onReady(listener) {
      client.on('ready', listener);
      return () => client.off('ready', listener);
    },
    observe: (observer) => observeClient(client, observer),
    async close() {
      closeRedis(client);
    },
  };
}
