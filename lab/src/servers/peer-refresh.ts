// A refresh with the specified work and nothing else: `peer-refresh.js KIND REDIS_URL FOLDER` prints its port.
//
// The same work in three kinds of server: cookie, two tokens signed by fast-jwt inside AES-GCM, one script that counts the
// limit and rotates the session, security and CORS headers, one log line. No directory, device binding, audit, metrics or
// timeouts.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Fastify, { type FastifyBaseLogger, type FastifyPluginCallback, LogController } from 'fastify';
import { Redis } from 'ioredis';
import pino from 'pino';
import { openFastJwt } from '../peers/fast-jwt.js';
import { loaderOf } from '../peers/packages.js';
import type { RefreshPeer } from '../peers/sessions.js';

const ACCESS_SECONDS = 900;
const REFRESH_SECONDS = 7 * 24 * 3600;
const COOKIE = 'refreshToken';
const ORIGIN = 'http://localhost:8080';
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
};
const CORS_HEADERS = {
  'access-control-allow-origin': ORIGIN,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
};

/** Counts the limit; then the presented generation must be the last one, and the next one is stored. */
const ROTATE = `
local count = redis.call('INCR', KEYS[2])
if count == 1 then redis.call('PEXPIRE', KEYS[2], 60000) end
if count > tonumber(ARGV[4]) then return { count, 0 } end
local generation = tonumber(redis.call('HGET', KEYS[1], ARGV[1]))
if generation ~= tonumber(ARGV[2]) then return { count, 0 } end
redis.call('HSET', KEYS[1], ARGV[1], generation + 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return { count, generation + 1 }`;
const LIMIT = 1_000_000;

interface Claims {
  readonly id: number;
  readonly email: string;
  readonly sid: string;
  readonly gen: number;
}

interface Renewed {
  readonly status: number;
  readonly body: string;
  readonly cookie?: string;
}

const [kind = '', redisUrl = '', folder = ''] = process.argv.slice(2);
const load = loaderOf(folder);
const redis = new Redis(redisUrl, { enableAutoPipelining: true });
redis.defineCommand('rotate', { lua: ROTATE, numberOfKeys: 2 });
const rotate = (redis as unknown as Record<string, (...args: unknown[]) => Promise<[number, number]>>)
  .rotate!;
const dest = join(folder, `${kind}.log`);
// The best setting: lines are written together, as in our services.
const output = pino.destination({ dest, sync: false, minLength: 4096 });
const log = pino({ timestamp: pino.stdTimeFunctions.isoTime }, output);
const { sealed: accessTokens } = await openFastJwt(load, ACCESS_SECONDS);
const { sealed: refreshTokens } = await openFastJwt(load, REFRESH_SECONDS);

async function renew(token: string | undefined): Promise<Renewed> {
  let claims: Claims;
  try {
    claims = refreshTokens.open(token ?? '') as Claims;
  } catch {
    return { status: 401, body: '{}' };
  }
  const { id, email, sid, gen } = claims;
  const keys = [`peer:{${id}}`, `peer:limit:${sid}`];
  const [count, next] = await rotate.call(redis, ...keys, sid, gen, REFRESH_SECONDS * 1000, LIMIT);
  if (next === 0) return { status: count > LIMIT ? 429 : 401, body: '{}' };
  return respond({ id, email, sid, gen: next });
}

function respond(claims: Claims): Renewed {
  return {
    status: 200,
    body: JSON.stringify({ accessToken: accessTokens.issue(claims), expiresIn: ACCESS_SECONDS }),
    cookie: refreshTokens.issue(claims),
  };
}

let users = 0;
async function logIn(): Promise<Renewed> {
  users += 1;
  const sid = randomBytes(16).toString('base64url');
  await redis.hset(`peer:{${users}}`, sid, 1);
  return respond({ id: users, email: 'somebody@example.com', sid, gen: 1 });
}

const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${REFRESH_SECONDS}`;
const servers: Readonly<Record<RefreshPeer, () => Promise<number>>> = {
  'plain Fastify': serveFastify,
  hono: serveHono,
  'node:http': serveHttp,
};
console.log(await servers[kind as RefreshPeer]());

async function serveFastify(): Promise<number> {
  const { default: cookie } = await load<{ default: FastifyPluginCallback }>('@fastify/cookie');
  const { default: cors } = await load<{
    default: FastifyPluginCallback<{ origin: string[]; credentials: boolean }>;
  }>('@fastify/cors');
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
  });
  await app.register(cookie);
  await app.register(cors, { origin: [ORIGIN], credentials: true });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(HEADERS);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info({ method: request.method, url: request.url, status: reply.statusCode });
    done();
  });
  for (const [path, run] of [
    ['/login', logIn],
    ['/refresh', renew],
  ] as const) {
    app.post(path, async (request, reply) => {
      const { cookies } = request as unknown as { cookies: Record<string, string | undefined> };
      const { status, body, cookie: next } = await run(cookies[COOKIE]);
      if (next !== undefined) reply.header('set-cookie', `${COOKIE}=${next}; ${attributes}`);
      return reply.code(status).type('application/json').send(body);
    });
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

interface HonoContext {
  readonly req: { readonly method: string; readonly path: string };
  body(body: string, status: number, headers: Readonly<Record<string, string>>): Response;
}

async function serveHono(): Promise<number> {
  const { Hono } = await load<{
    Hono: new () => {
      post(path: string, handler: (c: HonoContext) => Promise<Response>): void;
      fetch: unknown;
    };
  }>('hono');
  const { getCookie } = await load<{ getCookie(c: HonoContext, name: string): string | undefined }>(
    'hono/cookie',
  );
  const { serve } = await load<{ serve(options: object, ready: (info: AddressInfo) => void): void }>(
    '@hono/node-server',
  );
  const app = new Hono();
  for (const [path, run] of [
    ['/login', logIn],
    ['/refresh', renew],
  ] as const) {
    app.post(path, async (c) => {
      const { status, body, cookie } = await run(getCookie(c, COOKIE));
      log.info({ method: c.req.method, url: c.req.path, status });
      return c.body(body, status, {
        ...HEADERS,
        ...CORS_HEADERS,
        'content-type': 'application/json',
        ...(cookie !== undefined && { 'set-cookie': `${COOKIE}=${cookie}; ${attributes}` }),
      });
    });
  }
  const options = { fetch: app.fetch, hostname: '127.0.0.1', port: 0 };
  const { port } = await new Promise<AddressInfo>((resolve) => serve(options, resolve));
  return port;
}

async function serveHttp(): Promise<number> {
  const server = createServer(async ({ method, url, headers }, response) => {
    const token = headers.cookie?.slice(COOKIE.length + 1);
    const { status, body, cookie } = await (url === '/login' ? logIn() : renew(token));
    response.writeHead(status, {
      ...HEADERS,
      ...CORS_HEADERS,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(cookie !== undefined && { 'set-cookie': `${COOKIE}=${cookie}; ${attributes}` }),
    });
    response.end(body);
    log.info({ method, url, status });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}
