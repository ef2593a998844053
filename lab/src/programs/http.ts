// Each route compared with a bare server: processor time and requests per second, measured in turns in one run.
import { assignCores, describeCores } from '../cores.js';
import { microseconds, openPassingCheck } from '../hashwx/check-times.js';
import { type Cost, openGenerator } from '../load/open-generator.js';
import { SITE_ENVIRONMENT } from '../load/receipts.js';
import { GATED_SITE, openRoutes, type Pace, type Routes } from '../load/routes.js';
import { logIn, makeAccounts } from '../log-in.js';
import { openPrivateRedis } from '../private-redis.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { measureInTurn, ratios } from '../rounds.js';
import { startServer } from '../server-process.js';
import { openSite } from '../site.js';
import { median } from '../statistics.js';

/** A route, its bare servers, and the required share of the first one's requests per processor second. */
interface Comparison {
  readonly name: string;
  readonly route: keyof Routes;
  readonly floors: readonly Floor[];
  /** Null where another rule holds. */
  readonly bound: number | null;
}

const FLOORS = {
  fastify: 'GET',
  'script-corked': 'GET',
  script: 'GET',
  'check-corked': 'POST',
  check: 'POST',
} as const;
type Floor = keyof typeof FLOORS;

const SCRIPTS = ['script-corked', 'script'] as const;
const CHECKS = ['check-corked', 'check'] as const;

const SHA256_CHECK = 'the guard, one proof of work';
const HASHWX_CHECK = 'the guard, HashWX';
/** Maximum duration of the check in a service, relative to a process that does nothing else. */
const HASHWX_BOUND = 1.5;

const SITEVERIFY = 'POST /api/captcha/siteverify';
/** Receipts that one process verifies in a second. */
const SITEVERIFY_PER_SECOND = 2000;

const COMPARISONS: readonly Comparison[] = [
  { name: 'GET /api/captcha/pow', route: 'issue', floors: SCRIPTS, bound: 0.85 },
  { name: SHA256_CHECK, route: 'guard', floors: CHECKS, bound: 0.85 },
  { name: HASHWX_CHECK, route: 'hashwx', floors: CHECKS, bound: null },
  { name: 'POST /host/verify', route: 'verify', floors: CHECKS, bound: 0.7 },
  { name: SITEVERIFY, route: 'siteverify', floors: CHECKS, bound: 0.7 },
  { name: 'GET /profile', route: 'profile', floors: ['fastify'], bound: 0.55 },
  { name: 'POST /refresh', route: 'refresh', floors: SCRIPTS, bound: 0.3 },
  { name: 'GET /api/captcha/gate/check', route: 'gate', floors: ['fastify'], bound: 0.3 },
];

const OPTIONS = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '50' },
  store: { type: 'string', default: 'redis' },
  only: { type: 'string' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'routes compared with bare servers: requests in the same processor time',
  method: `Processor time of the service (and of Redis beside it) is read from /proc before and after each run, and divided by the requests
completed. "busy" is the service's use of its core. A bare server does the minimum of a route: an
empty Fastify route; one script of four commands; one GETDEL and a SHA-256. "corked" ones write all commands of one turn of the event loop together,
as the services do; the bounds refer to these. p99 is measured in further runs at half the requests per second of the route.
Options: --rounds 5 --seconds 2 --connections 50 --store redis|embedded --only issue|guard|hashwx|verify|siteverify|profile|refresh|gate
HashWX: the additional time of its check over that of SHA-256 is compared with the four hashes alone, in this process`,
  options: OPTIONS,
  async run({ values }, report, open) {
    const store = values.store === 'embedded' ? 'embedded' : 'redis';
    const pace = { connections: Number(values.connections), seconds: Number(values.seconds) };
    const only = values.only === 'hashwx' ? ['guard', 'hashwx'] : values.only?.split(',');
    const chosen = COMPARISONS.filter(({ route }) => only?.includes(route) ?? true);
    if (chosen.length === 0) throw new RangeError(`no route ${values.only}`);
    const cores = assignCores();
    const environment = {
      REFRESH_WINDOW: '0',
      MAX_SESSIONS: '500',
      CAPTCHA_POW_ALGORITHMS: 'sha256,hashwx-1',
      GATE: JSON.stringify({ sites: [GATED_SITE] }),
      ...SITE_ENVIRONMENT,
    };
    const accounts = makeAccounts(pace.connections);
    const site = await open(openSite({ cores, store, environment, accounts }));
    const redis = site.redis ?? (await open(openPrivateRedis(cores.redis)));
    const start = (name: string, args: string[], environment = {}) =>
      open(startServer(name, { args, environment, cores: cores.measured }));
    const guarded = await start('guarded', [], site.environment);
    const generator = await open(openGenerator(cores.load));
    const routes = openRoutes(site, guarded, await logIn(site, pace.connections, accounts), generator);
    report.say(describeCores(cores));

    const subjects: Record<string, () => Promise<Cost>> = {};
    for (const floor of new Set(chosen.flatMap(({ floors }) => floors))) {
      const { url, pid } = await start('bare', [floor, redis.url]);
      const plan = { urls: [url], method: FLOORS[floor], pids: { service: pid, Redis: redis.pid } };
      subjects[floor] = () => generator.run({ ...plan, ...pace });
    }
    for (const { name, route } of chosen) subjects[name] = () => routes[route](pace);
    const costs = await measureInTurn(subjects, Number(values.rounds));
    for (const [name, of] of Object.entries(costs)) {
      reportCosts(report, name in FLOORS ? `bare: ${name}` : name, of);
    }
    await reportTails(report, chosen, routes, costs, pace);
    for (const comparison of chosen) reportShares(report, comparison, costs, store);
    reportHashwx(report, costs);
    reportRate(report, costs[SITEVERIFY]);
  },
};
export default program;

function reportRate(report: Report, costs: readonly Cost[] | undefined): void {
  if (costs === undefined) return;
  const rates = costs.map(({ requestsPerSecond }) => requestsPerSecond);
  report.verdict(`${SITEVERIFY}, requests/s of one process`, rates, { atLeast: SITEVERIFY_PER_SECOND });
}

function reportCosts(report: Report, name: string, costs: readonly Cost[]): void {
  report.row(name, {
    'service µs': costs.map(({ micros }) => micros.service!),
    'Redis µs': costs.map(({ micros }) => micros.Redis ?? 0),
    'requests/s': costs.map(({ requestsPerSecond }) => requestsPerSecond),
    'busy %': costs.map(({ busy }) => busy.service! * 100),
    'p50 ms': costs.map(({ p50Ms }) => p50Ms),
  });
  const failures = costs.reduce((sum, cost) => sum + cost.failures, 0);
  if (failures > 0) report.verdict(`${name}: requests that failed`, failures, { atMost: 0 });
}

async function reportTails(
  report: Report,
  chosen: readonly Comparison[],
  routes: Routes,
  costs: Record<string, Cost[]>,
  pace: Pace,
): Promise<void> {
  const rounds = Object.values(costs)[0]!.length;
  const subjects = chosen.map(({ name, route }) => {
    const rate = median(costs[name]!.map(({ requestsPerSecond }) => requestsPerSecond)) / 2;
    return [name, () => routes[route]({ ...pace, rate })] as const;
  });
  const tails = await measureInTurn(Object.fromEntries(subjects), rounds);
  for (const [name, of] of Object.entries(tails)) {
    report.row(`${name}, half the load`, {
      'p50 ms': of.map(({ p50Ms }) => p50Ms),
      'p99 ms': of.map(({ p99Ms }) => p99Ms),
      'requests/s': of.map(({ requestsPerSecond }) => requestsPerSecond),
      'busy %': of.map(({ busy }) => busy.service! * 100),
    });
  }
}

/** The bound holds for the first floor, which is treated like the service; the share of the other is printed. */
function reportShares(
  report: Report,
  { name, floors, bound }: Comparison,
  costs: Record<string, Cost[]>,
  store: 'redis' | 'embedded',
): void {
  // A service does the work of the embedded store itself, so the time of Redis is added to that of the floor.
  const micros = (of: string) =>
    costs[of]!.map(({ micros }) => micros.service! + (store === 'embedded' ? (micros.Redis ?? 0) : 0));
  for (const [at, floor] of floors.entries()) {
    const shares = ratios(micros(floor), micros(name));
    if (at === 0 && store === 'redis' && bound !== null) {
      report.verdict(`${name}, share of ${floor}`, shares, { atLeast: bound });
    } else {
      report.row(`${name}, share of ${floor}`, { share: shares });
    }
  }
}

/** The additional cost of a HashWX check over one of SHA-256 must be the time of its hashes. */
function reportHashwx(report: Report, costs: Record<string, Cost[]>): void {
  const micros = (name: string) => (costs[name] ?? []).map(({ micros }) => micros.service!);
  const [hashwx, sha256] = [micros(HASHWX_CHECK), micros(SHA256_CHECK)];
  if (hashwx.length === 0 || sha256.length === 0) return;
  const own = Math.min(...microseconds(openPassingCheck()));
  const differences = hashwx.map((value, round) => value - sha256[round]!);
  report.row('HashWX beside SHA-256', { 'difference µs': differences, 'its hashes alone µs': own });
  const times = differences.map((difference) => difference / own);
  report.verdict('HashWX: difference, times its hashes alone', times, { atMost: HASHWX_BOUND });
}
