// Provides the Redis clients of a service to its plugins, as `app.redis.NAME`.

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
    // @fastify/redis waits until a client is ready and fails the start after 10 s, but our services start without their
    // store. This view of the client claims to be ready.
    const client = Object.create(store.client, { status: { value: 'ready' } });
    await app.register(fastifyRedis, { namespace, client } as FastifyRedisPluginOptions);
  }
}

/** Decorates the server with `redis`, unless all stores are embedded. Does not close the clients. */
export default fp(redisClients, { name: 'tollgate-redis-clients', fastify: '5.x' });
