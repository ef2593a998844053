// Renewing a session's token, with the session in Redis: our refresh beside public session libraries.

import { startServer } from '../server-process.js';
import type { Side } from './side-by-side.js';
import { compareSides, microsOf } from './side-by-side.js';
import type { Bench } from './work.js';

/** Each serves `POST /login`, which starts a session, and the route that renews it. */
const KINDS = {
  'express-session': { path: 'rotate', isLess: false },
  '@fastify/session': { path: 'rotate', isLess: false },
  'better-auth': { path: 'api/auth/get-session', isLess: true },
} as const;
export type SessionKind = keyof typeof KINDS;

export async function compareSessions(bench: Bench): Promise<void> {
  const { report, open, peers, generator, routes, redis, cores, pace, rounds } = bench;
  const sides: Side[] = [
    { name: 'Tollgate', measure: async () => microsOf('Tollgate', await routes.refresh(pace)) },
  ];
  for (const [kind, { path, isLess }] of Object.entries(KINDS)) {
    const args = [kind, redis.url, peers.folder];
    const environment = { NODE_ENV: 'production' };
    const server = await open(startServer('peer-sessions', { args, environment, cores: cores.measured }));
    let cookies: readonly string[] = await logIn(server.url, pace.connections);
    sides.push({
      name: kind,
      isLess,
      async measure() {
        const cost = await generator.run({
          urls: [`${server.url}${path}`],
          method: path === 'rotate' ? 'POST' : 'GET',
          cookies,
          pids: { service: server.pid, Redis: redis.pid },
          ...pace,
        });
        cookies = cost.cookies;
        return microsOf(kind, cost);
      },
    });
  }
  await compareSides(report, 'renewing a session', sides, rounds);
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
