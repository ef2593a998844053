// Issuing and checking a proof of work: our service and guard beside public libraries in Fastify, on one Redis.
import { Redis } from 'ioredis';
import type { Cores } from '../cores.js';
import type { Generator } from '../load/open-generator.js';
import type { Pace, Routes } from '../load/routes.js';
import type { Open } from '../opened.js';
import type { PrivateRedis } from '../private-redis.js';
import type { Report } from '../report/report.js';
import { startServer } from '../server-process.js';
import type { Peers } from './packages.js';
import { compareSides, firstRequests, microsOf, type Side } from './side-by-side.js';
import { openWorkLibrary, WORK_KINDS, type WorkKind } from './work-libraries.js';

/** More than these libraries check. */
const SOLVED_PER_SECOND = 15_000;
const AT_ONCE = 100;
/** Beside the best other library. */
const ISSUING = { best: 1.15 };
const CHECKING = { best: 1.8 };
/** Differences of all libraries' servers from ours. */
const LACKS = 'no log, metrics or security headers';
const JSON_BODY = { 'content-type': 'application/json' };

/** Common parts of all comparisons over HTTP. */
export interface Bench {
  readonly report: Report;
  readonly open: Open;
  readonly peers: Peers;
  readonly generator: Generator;
  readonly routes: Routes;
  readonly redis: PrivateRedis;
  readonly cores: Cores;
  readonly pace: Pace;
  readonly rounds: number;
}

export async function compareWork(bench: Bench): Promise<void> {
  const { report, open, peers, generator, routes, redis, cores, pace, rounds } = bench;
  const first = firstRequests(pace.connections);
  const issuing: Side[] = [
    {
      name: 'Tollgate',
      measure: async () => microsOf('Tollgate', await routes.issue(pace)),
      measureFirst: async () => microsOf('Tollgate', await routes.issue(first)),
    },
  ];
  const checking: Side[] = [
    { name: 'Tollgate', measure: async () => microsOf('Tollgate', await routes.guard(pace)) },
  ];
  for (const kind of WORK_KINDS) {
    for (const limit of ['limited', 'unlimited']) {
      const args = [kind, limit, redis.url, peers.folder];
      const { url, pid } = await open(startServer('peer-work', { args, cores: cores.measured }));
      const plan = { urls: [url], pids: { service: pid, Redis: redis.pid }, ...pace };
      issuing.push({
        name: limit === 'limited' ? kind : `${kind}, no limit`,
        does: kind === '@cap.js/server' ? LACKS : `${LACKS}, stores nothing`,
        isLess: limit !== 'limited',
        measure: async () => microsOf(kind, await generator.run(plan)),
        measureFirst: async () => microsOf(kind, await generator.run({ ...plan, ...first })),
      });
      if (limit === 'limited') continue;
      await proveSingleUse(kind, url, (await prepare(kind, peers, redis, 1))[0]!);
      checking.push({
        name: kind,
        does: LACKS,
        async measure() {
          const bodies = await prepare(kind, peers, redis, pace.seconds * SOLVED_PER_SECOND);
          return microsOf(kind, await generator.run({ ...plan, method: 'POST', headers: JSON_BODY, bodies }));
        },
      });
    }
  }
  await compareSides(report, 'issuing a work', issuing, { rounds, goals: ISSUING });
  await compareSides(report, 'checking a work', checking, { rounds, goals: CHECKING });
}

/** @throws Error unless a solved work is accepted once, and rejected the second time */
async function proveSingleUse(kind: WorkKind, url: string, body: string): Promise<void> {
  const submit = async () => {
    const response = await fetch(url, { method: 'POST', headers: JSON_BODY, body });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = [await submit(), await submit()];
  if (statuses.join() !== '200,403') throw new Error(`${kind} returned ${statuses} for one work sent twice`);
}

async function prepare(kind: WorkKind, peers: Peers, redis: PrivateRedis, count: number): Promise<string[]> {
  const client = new Redis(redis.url);
  const library = await openWorkLibrary(kind, peers.load, client);
  const bodies: string[] = [];
  while (bodies.length < count) {
    const solved = await Promise.all(Array.from({ length: AT_ONCE }, () => library.solved()));
    bodies.push(...solved.map((body) => JSON.stringify(body)));
  }
  client.disconnect();
  return bodies;
}
