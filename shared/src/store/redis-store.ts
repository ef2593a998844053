// The store on Redis: its connection, and the operations that every store has.

import { asStoreError, closeRedis, type RedisClient } from './redis-connection.js';
import { observeClient, replyOf } from './redis-script.js';
import type { StoreOperations } from './store.js';

/** A store on Redis. Scripts run on its `client`. */
export interface RedisStore extends StoreOperations {
  readonly kind: 'redis';
  readonly client: RedisClient;
}

/** Makes a store of a client. */
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
