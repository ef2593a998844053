// Shows the Redis clients of a service to its plugins, as `app.redis.NAME`.

import fastifyRedis, { type FastifyRedisPluginOptions } from '@fastify/redis';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Store } from '../../store/open-store.js';

async function redisClients(
  app: FastifyInstance,
  { stores }: { stores: Readonly<Record<string, Store>> },
): Promise<void> {
  for (const [namespace, store] of Object.entries(stores)) {
    if (store.kind !== 'redis') continue;
    // @fastify/redis waits for a client to be ready and fails the boot after 10 s; a service of ours boots without
    // its store. The view says `ready` and is the client in everything else.
    const client = Object.create(store.client, { status: { value: 'ready' } });
    await app.register(fastifyRedis, { namespace, client } as FastifyRedisPluginOptions);
  }
}

/** Decorates the server with `redis`; nothing on an embedded store. Closing the clients is left to their owner. */
export default fp(redisClients, { name: 'tollgate-redis-clients', fastify: '5.x' });
