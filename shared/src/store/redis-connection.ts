// Opens Redis clients that fail at once without a connection and reconnect for ever, and tells their errors apart.

import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { ANSWER_LIMIT_MS, within } from './answer-limit.js';
import { gatherCommands } from './gathered-commands.js';
import { sentinelConnector } from './sentinel/sentinel-connector.js';
import { type SentinelWatch, watchSentinels } from './sentinel/sentinel-watch.js';
import { StoreUnavailableError } from './store.js';
import type { StoreAddress } from './store-url.js';

/** A client of one Redis server, of a Sentinel's master or of a cluster. */
export type RedisClient = Redis | Cluster;

/** Silence with a command under way after which a connection is left, in milliseconds. */
export const SILENCE_MS = 1500;

const READER_CONNECT_TIMEOUT_MS = 2000;

// Without a queue a command fails at once while Redis is unreachable, so a request gets a 503 instead of hanging.
const CLIENT_OPTIONS = {
  enableOfflineQueue: false,
  commandTimeout: ANSWER_LIMIT_MS,
  connectTimeout: 1000,
  // A server that is frozen never closes its side.
  disconnectTimeout: 100,
  socketTimeout: SILENCE_MS,
  maxLoadingRetryTime: 1000,
  maxRetriesPerRequest: null,
  retryStrategy: reconnectDelayMs,
  enableReadyCheck: true,
} satisfies RedisOptions;

// Replies of a server that is no master, or no longer, at the start of a line or of the error inside a script.
const NO_MASTER = /(?:^|: -)(?:READONLY|LOADING|MASTERDOWN|UNBLOCKED)\b/;

/** Shortest time between two connections that are left for such a reply, in milliseconds. */
const LEAVE_AGAIN_MS = 1000;

/**
 * Returns a function that tells whether to leave a connection for an error reply: the name or the Sentinel may know a
 * master by now. A server that stays a replica is left once a second, so that it still answers reads.
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
export function closeRedis(client: RedisClient): void {
  watches.get(client)?.close();
  // quit() would wait for a reply that a store out of reach never sends.
  client.disconnect();
}

/** Opens a client. It connects in the background, and its connection may fail. */
export function openRedis(address: Exclude<StoreAddress, { kind: 'embedded' }>): RedisClient {
  const client = connect(address, { ...CLIENT_OPTIONS, reconnectOnError: leavesDeposed() });
  gatherCommands(client);
  // An error event without a listener would end the process. A watch of the store reports the errors.
  client.on('error', (error: Error) => {
    // The client would go on with database 0.
    if (client instanceof Redis && error.message.includes('DB index is out of range'))
      client.stream.destroy();
  });
  return client;
}

/** Returns the longest wait of a client for a reply, in milliseconds. */
export function commandTimeoutOf({ options }: RedisClient): number {
  const { commandTimeout = ANSWER_LIMIT_MS } =
    'redisOptions' in options ? (options.redisOptions ?? {}) : (options as RedisOptions);
  return commandTimeout;
}

/**
 * Opens another connection to the server of a client, for blocking reads. It does not reconnect: when it breaks its
 * commands fail, and the caller opens another.
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
  // Whatever ends the connection of the client also ends this one: the server may be no master any more.
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
      const watch = watchSentinels(address.sentinels, address.name, reconnectDelayMs);
      const client = new Redis({
        ...clientOptions,
        ...credentials(address),
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
          // The client keeps to itself that the name of a host is unknown.
          if (reason !== undefined) cluster.emit('error', reason);
          return reconnectDelayMs(attempt);
        },
        scaleReads: 'master',
        redisOptions: { ...clientOptions, ...credentials(address) },
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

// Redis 6 puts the error of a command inside a script at the end of a longer line, after a minus sign.
const UNABLE =
  /(?:^|: -)(?:LOADING|CLUSTERDOWN|MASTERDOWN|READONLY|UNBLOCKED|OOM|TRYAGAIN|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b/;

/** Converts an error of a Redis client to a StoreUnavailableError; returns a reply that reports a bug unchanged. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof Error && error.name === 'ReplyError' && !UNABLE.test(error.message)) return error;
  return new StoreUnavailableError('the store is out of reach', { cause: error });
}
