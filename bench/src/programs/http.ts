// Each route compared with a bare server: processor time and requests per second, measured in turns in one run.
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { type Cost, type Load, putLoadOn } from '../load.js';
import type { Program } from '../program.js';
import { type ServerProcess, startServer } from '../server-process.js';
import { HOST_KEY, openSite, type Site } from '../site.js';
import { prepareSolvedWork, type SolvedWork } from '../solved-work.js';
import { median } from '../statistics.js';

const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 50;
const SOLVED_PER_RUN = 60_000;
const ACCOUNT = { email: 'bench@example.com', password: 'a password of a benchmark' };

/** A route, the bare server to compare it with (its floor), and the share of the floor's requests per processor second that it must reach. */
interface Comparison {
  readonly name: string;
  readonly floor: string;
  readonly bound: number;
  readonly load: () => Promise<Omit<Load, 'connections' | 'seconds'>>;
}

const program: Program = {
  title: 'routes compared with bare servers: share of the requests in the same processor time',
  async run() {
    const site = await openSite({ REFRESH_WINDOW: '0', MAX_SESSIONS: '500' }, [ACCOUNT]);
    const floors = Object.fromEntries(
      await Promise.all(
        ['http', 'fastify', 'schema', 'script', 'check'].map(async (kind) => [
          kind,
          await startServer('bare', [kind, site.redis.url]),
        ]),
      ),
    ) as Record<string, ServerProcess>;
    const guarded = await startServer('guarded', [], site.environment);
    try {
      return await compareAll(await comparisons(site, guarded), floors);
    } finally {
      await Promise.all([...Object.values(floors), guarded].map((server) => server.stop()));
      await site.close();
    }
  },
};
export default program;

async function comparisons(site: Site, guarded: ServerProcess): Promise<Comparison[]> {
  const session = site.system.processes['session-service'].child.pid!;
  const challenge = site.system.processes['challenge-service'].child.pid!;
  const json = { 'content-type': 'application/json' };
  const solved = () => prepareSolvedWork(site.redis.url, site.environment.CHALLENGE_SECRET!, SOLVED_PER_RUN);
  const signedIn = await logIn(site);
  return [
    {
      name: 'GET /api/captcha/pow',
      floor: 'script',
      bound: 0.85,
      load: async () => ({ url: `${site.challenge}/api/captcha/pow`, pid: challenge }),
    },
    {
      name: 'the guard, one proof of work',
      floor: 'check',
      bound: 0.85,
      load: async () => ({
        url: guarded.url,
        pid: guarded.pid,
        method: 'POST',
        headers: json,
        nextBody: bodies(await solved()),
      }),
    },
    {
      name: 'POST /host/verify',
      floor: 'check',
      bound: 0.7,
      load: async () => ({
        url: `${site.challengeAdmin}/host/verify`,
        pid: challenge,
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${HOST_KEY}` },
        nextBody: bodies(await solved()),
      }),
    },
    {
      name: 'GET /profile',
      floor: 'fastify',
      bound: 0.55,
      load: async () => ({
        url: `${site.session}/profile`,
        pid: session,
        headers: { authorization: `Bearer ${signedIn.accessToken}` },
      }),
    },
    {
      name: 'POST /refresh',
      floor: 'script',
      bound: 0.3,
      load: async () => {
        // One after the other: concurrent attempts count as failures until each has ended.
        const cookies: string[] = [];
        while (cookies.length < CONNECTIONS) cookies.push((await logIn(site)).cookie);
        return {
          url: `${site.session}/refresh`,
          pid: session,
          method: 'POST',
          setupClient(client, at) {
            client.setHeaders({ cookie: cookies[at % cookies.length]! });
            // Refresh tokens are single-use: each connection sends the last one it got. The types of autocannon lack this event.
            const emitter: EventEmitter = client;
            emitter.on('headers', ({ headers }: { headers: string[] }) => {
              const place = headers.findIndex((name) => name.toLowerCase() === 'set-cookie');
              if (place >= 0) client.setHeaders({ cookie: headers[place + 1]!.split(';')[0]! });
            });
          },
        };
      },
    },
  ];
}

function bodies(solved: SolvedWork[]): () => string {
  // After the last solved challenge requests are refused, which the count of failures shows.
  return () => JSON.stringify(solved.pop() ?? { pow_token: randomUUID(), pow_nonce: '0' });
}

async function logIn({
  session,
  environment,
  redis,
}: Site): Promise<{ accessToken: string; cookie: string }> {
  const [work] = await prepareSolvedWork(redis.url, environment.CHALLENGE_SECRET!, 1);
  const response = await fetch(`${session}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ACCOUNT, ...work }),
  });
  if (!response.ok) throw new Error(`the log-in was refused: ${await response.text()}`);
  const { accessToken } = (await response.json()) as { accessToken: string };
  return { accessToken, cookie: response.headers.getSetCookie()[0]!.split(';')[0]! };
}

async function compareAll(all: Comparison[], floors: Record<string, ServerProcess>): Promise<boolean> {
  const costs = new Map<string, Cost[]>();
  const measure = async (name: string, load: Omit<Load, 'connections' | 'seconds'>) => {
    const cost = await putLoadOn({ ...load, connections: CONNECTIONS, seconds: SECONDS });
    costs.set(name, [...(costs.get(name) ?? []), cost]);
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [kind, { url, pid }] of Object.entries(floors)) {
      await measure(kind, { url, pid, ...(kind === 'check' ? { method: 'POST' as const } : {}) });
    }
    for (const { name, load } of all) await measure(name, await load());
  }
  for (const kind of Object.keys(floors)) printCost(`bare: ${kind}`, costs.get(kind)!);
  let isKept = true;
  for (const { name, floor, bound } of all) {
    printCost(name, costs.get(name)!);
    const ratios = costs
      .get(name)!
      .map((cost, round) => costs.get(floor)![round]!.cpuMicrosPerRequest / cost.cpuMicrosPerRequest);
    const ratio = median(ratios);
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    console.log(`${' '.repeat(34)}${ratio.toFixed(2)} of ${floor} (${spread}); bound ${bound}`);
    isKept &&= ratio >= bound;
  }
  return isKept;
}

function printCost(name: string, costs: readonly Cost[]): void {
  const rate = median(costs.map(({ requestsPerSecond }) => requestsPerSecond));
  const cpu = median(costs.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest));
  const failures = costs.reduce((sum, cost) => sum + cost.failures, 0);
  const failed = failures === 0 ? '' : `, ${failures} failed`;
  console.log(`${name.padEnd(34)}${Math.round(rate)} requests/s, ${cpu.toFixed(1)} µs of processor${failed}`);
}
