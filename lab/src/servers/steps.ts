// A bare server with some of the steps of `siteverify`: `node steps.js REDIS_URL STEP…` prints its port.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { openSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import cors from '@fastify/cors';
import { gatherCommands } from '@tollgate/shared/store';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import { destination, pino } from 'pino';
import type { Step } from '../programs/steps.js';

const SCRIPT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], 60000) end
return { count, redis.call('GETDEL', KEYS[2]) }`;

/** As many as the service sends with an uncacheable response. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-site',
  'content-security-policy': "default-src 'none'",
  'ratelimit-limit': '100',
  'ratelimit-remaining': '99',
  'ratelimit-reset': '60',
};

const KEY = Buffer.alloc(32, 7);

async function serve(redisUrl: string, steps: readonly string[]): Promise<number> {
  const has = (step: Step) => steps.includes(step);
  const log = pino(destination({ fd: openSync('/dev/null', 'w'), sync: false, minLength: 8_192 }));
  const app = Fastify();
  const redis = new Redis(redisUrl);
  gatherCommands(redis);
  redis.defineCommand('redeem', { lua: SCRIPT });
  const redeem = (redis as unknown as Record<string, (...args: unknown[]) => Promise<unknown[]>>).redeem!;
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  if (has('CORS')) await app.register(cors, { origin: ['https://shop.example'], credentials: true });
  if (has('eight headers')) app.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS));
  if (has('a line of the log')) {
    app.addHook('onResponse', async ({ method, routeOptions }: FastifyRequest, reply: FastifyReply) => {
      log.info(
        { method, path: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime },
        'request',
      );
    });
  }
  let made = 0;
  const take = async (request: FastifyRequest) => {
    made += 1;
    if (has('the MAC of a receipt')) {
      const { response } = request.body as { response: string };
      const mac = createHmac('sha256', KEY).update(response).digest();
      timingSafeEqual(mac, mac);
    }
    const record = has('a limit in the same script')
      ? (await redeem.call(redis, 2, '{a}limit', `{a}${made}`))[1]
      : await redis.getdel(`{a}${made}`);
    return { success: true, digest: createHash('sha256').update(`${record}${made}`).digest('hex') };
  };
  app.route({ method: has('a form is read') ? 'POST' : 'GET', url: '/', handler: take });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

const [redisUrl = '', ...steps] = process.argv.slice(2);
console.log(await serve(redisUrl, steps));
