// Opens Redis clients that fail at once without a connection and reconnect for ever, and tells their errors apart.

import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { StoreUnavailableError } from './store.js';
import type { StoreAddress } from './store-url.js';

/** A client of one Redis server, of a Sentinel's master or of a cluster. */
export type RedisClient = Redis | Cluster;

/** Longest wait for a reply, in milliseconds. */
export const COMMAND_TIMEOUT_MS = 500;

const CONNECT_TIMEOUT_MS = 2000;

// Without a queue a command fails at once while Redis is unreachable, so a request gets a 503 instead of hanging.
const CLIENT_OPTIONS = {
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 1000,
  maxRetriesPerRequest: null,
  retryStrategy: reconnectDelayMs,
  enableReadyCheck: true,
} satisfies RedisOptions;

/** Returns the delay before the n-th attempt to reconnect: from 100 to 1,000 milliseconds. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(100 * attempt, 1000);
}

/** Opens a client. It connects in the background, and its connection may fail. */
export function openRedis(address: Exclude<StoreAddress, { kind: 'embedded' }>): RedisClient {
  const client = connect(address);
  // An error event without a listener would end the process; commands report what matters.
  client.on('error', () => {});
  return client;
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
    commandTimeout: waitMs + COMMAND_TIMEOUT_MS,
    autoResendUnfulfilledCommands: false,
  } satisfies RedisOptions;
  const reader =
    client instanceof Cluster
      ? client.duplicate([], { lazyConnect: true, clusterRetryStrategy: () => null, redisOptions: once })
      : client.duplicate({ ...once, sentinelRetryStrategy: () => null });
  reader.on('error', () => {});
  try {
    await within(CONNECT_TIMEOUT_MS, reader.connect());
    return reader as RedisClient;
  } catch (error) {
    reader.disconnect();
    throw asStoreError(error);
  }
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection within ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function connect(address: Exclude<StoreAddress, { kind: 'embedded' }>): RedisClient {
  switch (address.kind) {
    case 'redis':
      return new Redis(address.url, CLIENT_OPTIONS);
    case 'sentinel':
      return new Redis({
        ...CLIENT_OPTIONS,
        ...credentials(address),
        sentinels: [...address.sentinels],
        name: address.name,
        db: address.db,
        role: 'master',
        sentinelRetryStrategy: reconnectDelayMs,
      });
    case 'cluster':
      return new Cluster([...address.nodes], {
        enableOfflineQueue: false,
        clusterRetryStrategy: reconnectDelayMs,
        scaleReads: 'master',
        redisOptions: { ...CLIENT_OPTIONS, ...credentials(address) },
      });
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
  /(?:^|: -)(?:LOADING|CLUSTERDOWN|MASTERDOWN|READONLY|OOM|TRYAGAIN|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS)\b/;

/** Converts an error of a Redis client to a StoreUnavailableError; returns a reply that reports a bug unchanged. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof Error && error.name === 'ReplyError' && !UNABLE.test(error.message)) return error;
  return new StoreUnavailableError('the store is out of reach', { cause: error });
}
