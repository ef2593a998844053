// A public proof-of-work library in Fastify: `peer-work.js KIND LIMIT REDIS_URL FOLDER` prints its port, issues (GET) and checks (POST).
import type { AddressInfo } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { loaderOf } from '../peers/packages.js';
import { openWorkLibrary, type WorkKind } from '../peers/work-libraries.js';

const [kind = '', limit = '', redisUrl = '', folder = ''] = process.argv.slice(2);
// The best setting of each library: ioredis writes the commands of one turn of the event loop together.
const redis = new Redis(redisUrl, { enableAutoPipelining: true });
const library = await openWorkLibrary(kind as WorkKind, loaderOf(folder), redis);
const app = Fastify();
// Counts in Redis, as our services do.
if (limit === 'limited') await app.register(rateLimit, { global: false, redis });
app.get('/', { config: { rateLimit: { max: 1e9, timeWindow: 60_000 } } }, () => library.issue());
app.post('/', async ({ body }, reply) => {
  if (!(await library.check(body as object))) return reply.code(403).send({ error: 'refused' });
  return { sent: true };
});
await app.listen({ host: '127.0.0.1', port: 0 });
console.log((app.server.address() as AddressInfo).port);
