// A public session library with its sessions in Redis: `peer-sessions.js KIND REDIS_URL FOLDER` prints its port.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyPluginCallback, type FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import { type LoadPeer, loaderOf } from '../peers/packages.js';
import type { SessionKind } from '../peers/sessions.js';

const SECRET = 'the secret of the public session libraries';
const TTL_SECONDS = 7 * 24 * 3600;
const USER = { id: 123_456, email: 'somebody@example.com' };

const [kind = '', redisUrl = '', folder = ''] = process.argv.slice(2);
const load: LoadPeer = loaderOf(folder);

/** Each resolves with the handlers of `POST /login` and of the route that renews the session. */
const libraries: Readonly<Record<SessionKind, () => Promise<RequestListener>>> = {
  'express-session': openExpress,
  '@fastify/session': openFastify,
  'better-auth': openBetterAuth,
};

const server = createServer(await libraries[kind as SessionKind]());
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

/** The store of both session middlewares. */
async function openRedisStore(): Promise<object> {
  const { createClient } = await load<{
    createClient(options: object): { connect(): Promise<unknown> };
  }>('redis');
  const { RedisStore } = await load<{ RedisStore: new (options: object) => object }>('connect-redis');
  const client = createClient({ url: redisUrl });
  await client.connect();
  return new RedisStore({ client, ttl: TTL_SECONDS });
}

interface ExpressRequest {
  session: { user?: typeof USER; regenerate(done: (error?: unknown) => void): void };
}
interface ExpressResponse {
  json(body: object): void;
  sendStatus(status: number): void;
}
interface ExpressApp {
  (): void;
  use(handler: unknown): void;
  disable(name: string): void;
  post(
    path: string,
    handler: (request: ExpressRequest, response: ExpressResponse, next: (error: unknown) => void) => void,
  ): void;
}

async function openExpress(): Promise<RequestListener> {
  const { default: express } = await load<{ default: () => ExpressApp }>('express');
  const { default: session } = await load<{ default: (options: object) => unknown }>('express-session');
  const app = express();
  app.disable('x-powered-by');
  const cookie = { httpOnly: true, sameSite: 'lax', maxAge: TTL_SECONDS * 1000 };
  const store = await openRedisStore();
  app.use(session({ store, secret: SECRET, resave: false, saveUninitialized: false, cookie }));
  app.post('/login', (request, response) => {
    request.session.user = USER;
    response.json({ id: USER.id });
  });
  app.post('/rotate', (request, response, next) => {
    const { user } = request.session;
    if (user === undefined) return response.sendStatus(401);
    request.session.regenerate((error) => {
      if (error) return next(error);
      request.session.user = user;
      response.json({ id: user.id });
    });
  });
  return app as unknown as RequestListener;
}

async function openFastify(): Promise<RequestListener> {
  const { default: cookie } = await load<{ default: FastifyPluginCallback }>('@fastify/cookie');
  const { default: session } = await load<{ default: FastifyPluginCallback }>('@fastify/session');
  const app = Fastify();
  await app.register(cookie);
  await app.register(session, {
    secret: SECRET,
    store: await openRedisStore(),
    saveUninitialized: false,
    cookie: { httpOnly: true, secure: false, sameSite: 'lax', maxAge: TTL_SECONDS * 1000 },
  } as object);
  const sessionOf = (request: FastifyRequest) =>
    (request as unknown as { session: { user?: typeof USER; regenerate(kept: string[]): Promise<void> } })
      .session;
  app.post('/login', async (request) => {
    sessionOf(request).user = USER;
    return { id: USER.id };
  });
  app.post('/rotate', async (request, reply) => {
    const current = sessionOf(request);
    if (current.user === undefined) return reply.code(401).send();
    await current.regenerate(['user']);
    return { id: USER.id };
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
}

/** It has no route that changes a session's token; reading the session extends it in the store each time. */
async function openBetterAuth(): Promise<RequestListener> {
  const { betterAuth } = await load<{
    betterAuth(options: object): { api: { signUpEmail(input: object): Promise<Response> } };
  }>('better-auth');
  const { memoryAdapter } = await load<{ memoryAdapter(tables: object): unknown }>(
    'better-auth/adapters/memory',
  );
  const { toNodeHandler } = await load<{ toNodeHandler(auth: unknown): RequestListener }>('better-auth/node');
  const redis = new Redis(redisUrl, { enableAutoPipelining: true });
  const auth = betterAuth({
    secret: SECRET,
    baseURL: 'http://127.0.0.1',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    session: { expiresIn: TTL_SECONDS, updateAge: 0 },
    rateLimit: { enabled: false },
    advanced: { useSecureCookies: false },
    telemetry: { enabled: false },
    secondaryStorage: {
      get: (key: string) => redis.get(key),
      set: (key: string, value: string, ttl?: number) =>
        ttl === undefined ? redis.set(key, value) : redis.set(key, value, 'EX', ttl),
      delete: (key: string) => redis.del(key),
    },
  });
  const handle = toNodeHandler(auth);
  let users = 0;
  return (request, response) => {
    if (request.url !== '/login') return handle(request, response);
    users += 1;
    const body = { ...USER, email: `user-${users}@example.com`, name: 'User', password: 'a long password' };
    auth.api.signUpEmail({ body, asResponse: true }).then((answer) => {
      response.writeHead(answer.status, { 'set-cookie': answer.headers.getSetCookie() }).end();
    });
  };
}
