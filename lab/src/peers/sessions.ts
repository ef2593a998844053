// Renewing a session's token, with the session in Redis: our refresh beside public session libraries and equal work.

import { startServer } from '../server-process.js';
import type { Side } from './side-by-side.js';
import { compareSides, firstRequests, microsOf } from './side-by-side.js';
import type { Bench } from './work.js';

/** Each serves `POST /login`, which starts a session of a new user, and the route that renews it. */
const KINDS = {
  'express-session': { path: 'rotate', method: 'POST', does: 'no limit, log or token', isLess: false },
  '@fastify/session': { path: 'rotate', method: 'POST', does: 'no limit, log or token', isLess: false },
  'better-auth': { path: 'api/auth/get-session', method: 'GET', does: 'keeps its token', isLess: true },
} as const;
export type SessionKind = keyof typeof KINDS;

/** The specified work and nothing else, in three kinds of server. */
const REFRESH_PEERS = {
  'plain Fastify': { does: 'specified work only', isLess: true },
  hono: { does: 'specified work only', isLess: true },
  'node:http': { does: 'specified work only', isLess: true },
} as const;
export type RefreshPeer = keyof typeof REFRESH_PEERS;

const GOALS = { 'plain Fastify': 1.15, '@fastify/session': 1 };

export async function compareSessions(bench: Bench): Promise<void> {
  const { report, open, peers, generator, routes, redis, cores, pace, rounds } = bench;
  const first = firstRequests(pace.connections);
  const sides: Side[] = [
    {
      name: 'Tollgate',
      measure: async () => microsOf('Tollgate', await routes.refresh(pace)),
      measureFirst: async () => microsOf('Tollgate', await routes.refresh(first)),
    },
  ];
  const addSide = async (
    side: Pick<Side, 'name' | 'does' | 'isLess'>,
    { program, path, method }: { program: string; path: string; method: 'GET' | 'POST' },
  ) => {
    const { name } = side;
    const args = [name, redis.url, peers.folder];
    const environment = { NODE_ENV: 'production' };
    const server = await open(startServer(program, { args, environment, cores: cores.measured }));
    let cookies: readonly string[] = await logIn(server.url, pace.connections);
    const send = async (pace: Bench['pace']) => {
      const cost = await generator.run({
        urls: [`${server.url}${path}`],
        method,
        cookies,
        pids: { service: server.pid, Redis: redis.pid },
        ...pace,
      });
      cookies = cost.cookies;
      return microsOf(name, cost);
    };
    sides.push({ ...side, measure: () => send(pace), measureFirst: () => send(first) });
  };
  for (const [name, { path, method, ...rest }] of Object.entries(KINDS))
    await addSide({ name, ...rest }, { program: 'peer-sessions', path, method });
  for (const [name, rest] of Object.entries(REFRESH_PEERS))
    await addSide({ name, ...rest }, { program: 'peer-refresh', path: 'refresh', method: 'POST' });
  await compareSides(report, 'renewing a session', sides, { rounds, goals: GOALS });
}

async function logIn(url: string, count: number): Promise<string[]> {
  const cookies: string[] = [];
  while (cookies.length < count) {
    const response = await fetch(`${url}login`, { method: 'POST' });
    const set = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!);
    if (!response.ok || set.length === 0) throw new Error(`a login got ${response.status}`);
    cookies.push(set.join('; '));
  }
  return cookies;
}
