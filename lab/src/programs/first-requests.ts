// A new process: processor time of its first requests, beside that of a warm one, on each line and option of Node.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeOptions } from '@tollgate/tools/launcher/service-program.js';
import { assignCores, describeCores } from '../cores.js';
import { mainThreadMs, processorMs } from '../cpu-time.js';
import { type Generator, openGenerator } from '../load/open-generator.js';
import type { LoadPlan } from '../load/plan.js';
import { openReceipts, SITE_ENVIRONMENT } from '../load/receipts.js';
import { logIn, makeAccounts } from '../log-in.js';
import { startCopy } from '../one-machine/service-copies.js';
import type { Program } from '../program.js';
import type { Report, Row } from '../report/report.js';
import { measureInTurn } from '../rounds.js';
import { startServer } from '../server-process.js';
import { openSite, type Site } from '../site.js';
import { type BodySupply, openSolvedWork, openSupply } from '../solved-work.js';
import { median } from '../statistics.js';

const OPTIONS = {
  node: { type: 'string' },
  flags: { type: 'string', multiple: true },
  rounds: { type: 'string', default: '5' },
  requests: { type: 'string', default: '10000' },
  connections: { type: 'string', default: '10' },
} as const;

const ROUTES = [
  'refresh',
  'profile',
  'issue',
  'image',
  'siteverify',
  'guard',
  'login',
  'small-hash-login',
] as const;

const THIS_LINE = process.version.slice(1).split('.', 1).join();
const PART = 500;
/** Parts of which the mean is the cost of a warm process, if so many follow the first two. */
const WARM_PARTS = 4;
/** So many that no account has two logins at once, which would count as failures. */
const ACCOUNTS = 100;
/** Longer than any part takes. */
const SECONDS = 60;
/** The first part beside a warm one, and milliseconds until the first response. */
const GOAL = { first: 1.5, startMs: 1_500 };

/** A route of a service or of an application with a guarded form, and the data of its requests. */
interface Measured {
  readonly server: 'session-service' | 'challenge-service' | 'guarded';
  readonly path: string;
  /** Variables of the service in addition to those of the site. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Processor time in milliseconds of a process; of all its threads by default. */
  readonly processorMs?: (pid: number) => number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each body is sent once. */
  readonly bodies?: BodySupply;
  /** Cookies of the connections, of which each response sends the next. */
  readonly cookies?: string[];
}

/** The result of one process. */
interface Run {
  readonly startMs: number;
  readonly firstMicros: number;
  readonly secondMicros: number;
  readonly warmMicros: number;
}

const program: Program<typeof OPTIONS> = {
  title: `the first ${PART} requests of a process beside those of a warm one, by line and options of Node`,
  method: `A new process for each sample, on one core, beside a running system. Processor time of the process with all its threads, without the
store: of the first ${PART} requests, of the next ${PART}, and of the last ${PART * WARM_PARTS}. The start is the time until its first response.
A login counts the main thread only, without the password hash; once more with hashes of 64 KiB, which fit into the processor's caches.
Arguments: ${ROUTES.join(', ')} (default: all).
Options: --rounds 5 --requests 10000 --connections 10; --node 20,22,24 (lines from the registry); --flags="${nodeOptions.join(' ')}" (options of Node, may be repeated)`,
  options: OPTIONS,
  operands: ROUTES,
  async run({ values, positionals }, report, open) {
    const connections = Number(values.connections);
    const parts = Number(values.requests) / PART;
    const cores = assignCores();
    report.say(describeCores(cores));
    const environment = { REFRESH_WINDOW: '0', MAX_SESSIONS: '500', ...SITE_ENVIRONMENT };
    const site = await open(openSite({ cores, environment, accounts: makeAccounts(ACCOUNTS) }));
    const generator = await open(openGenerator(cores.load));
    const { flags: chosen = [nodeOptions.join(' ')] } = values;
    const nodes = (values.node ?? THIS_LINE).split(',').map((line) => ({ line, path: findNode(line) }));
    const variants = nodes.flatMap(({ line, path }) =>
      chosen.map((flags) => ({
        name: `Node ${line}${chosen.length > 1 ? ` ${flags}` : ''}`,
        node: { path, options: flags.split(' ').filter(Boolean) },
      })),
    );
    const routes = await openRoutes(site, connections);
    for (const name of ROUTES.filter((each) => positionals.length === 0 || positionals.includes(each))) {
      const route = routes[name];
      const measure = async (node: { path: string; options: string[] }): Promise<Run> => {
        const server = await startMeasured(route, site, cores.measured, node);
        try {
          const { pid } = server;
          const url = new URL(route.path, server.url).href;
          const micros = await sendParts(route, { url, pid, parts, connections, generator });
          const warm = micros.slice(2).slice(-WARM_PARTS);
          const warmMicros = warm.reduce((sum, each) => sum + each, 0) / warm.length;
          return { startMs: server.startMs, firstMicros: micros[0]!, secondMicros: micros[1]!, warmMicros };
        } finally {
          await server.close();
        }
      };
      const subjects = variants.map(({ name: variant, node }) => [variant, () => measure(node)] as const);
      const runs = await measureInTurn(Object.fromEntries(subjects), Number(values.rounds));
      for (const [variant, samples] of Object.entries(runs))
        reportRuns(report, `${name}, ${variant}`, samples);
    }
  },
  table: {
    document: 'benchmarks.md',
    markdown(rows, measuredOn) {
      const lines = rows
        .filter(({ figures }) => figures['warm, µs'] !== undefined)
        .map(
          ({ name, figures }) =>
            `| ${[name, ...COLUMNS.map((column) => cell({ name, figures }, column))].join(' | ')} |`,
        );
      return [
        measuredOn,
        '',
        `| Route | ${COLUMNS.join(' | ')} |`,
        `|---${'|---'.repeat(COLUMNS.length)}|`,
        ...lines,
      ].join('\n');
    },
  },
};
export default program;

const COLUMNS = [
  `first ${PART}, µs`,
  `next ${PART}, µs`,
  'warm, µs',
  'first, times warm',
  'start on one core, ms',
] as const;
const BOUNDS: Readonly<Record<string, number>> = { [COLUMNS[3]]: GOAL.first, [COLUMNS[4]]: GOAL.startMs };

/** A median; bold if it exceeds its bound. */
function cell({ figures }: Row, column: string): string {
  const value = figures[column]!.median;
  const text = value < 10 ? value.toFixed(2) : String(Math.round(value));
  return value > (BOUNDS[column] ?? Infinity) ? `**${text}**` : text;
}

function reportRuns(report: Report, name: string, runs: readonly Run[]): void {
  const times = runs.map(({ firstMicros, warmMicros }) => firstMicros / warmMicros);
  const starts = runs.map(({ startMs }) => startMs);
  report.row(name, {
    [COLUMNS[0]]: runs.map(({ firstMicros }) => firstMicros),
    [COLUMNS[1]]: runs.map(({ secondMicros }) => secondMicros),
    [COLUMNS[2]]: runs.map(({ warmMicros }) => warmMicros),
    [COLUMNS[3]]: times,
    [COLUMNS[4]]: starts,
  });
  report.verdict(`${name}: first, times warm`, times, { atMost: GOAL.first });
  report.verdict(`${name}: start`, median(starts), { atMost: GOAL.startMs }, 'ms');
}

function startMeasured(
  { server, environment: own }: Measured,
  site: Site,
  cores: readonly number[],
  node: { path: string; options: string[] },
) {
  const environment = { ...site.environment, ...own };
  return server === 'guarded'
    ? startServer('guarded', { environment, cores, node })
    : startCopy({ ...site, environment }, server, cores, node);
}

async function openRoutes(
  site: Site,
  connections: number,
): Promise<Readonly<Record<(typeof ROUTES)[number], Measured>>> {
  const { storeUrl, environment } = site;
  const accounts = makeAccounts(ACCOUNTS);
  const signedIn = await logIn(site, connections, accounts);
  const secret = environment.CHALLENGE_SECRET!;
  const solved = openSolvedWork(storeUrl, secret);
  let logins = 0;
  const login: Measured = {
    server: 'session-service',
    path: '/login',
    headers: JSON_BODY,
    processorMs: mainThreadMs,
    bodies: openSupply(async (count) =>
      (await solved.take(count)).map((work) =>
        JSON.stringify({ ...accounts[logins++ % ACCOUNTS], ...JSON.parse(work) }),
      ),
    ),
  };
  return {
    refresh: {
      server: 'session-service',
      path: '/refresh',
      bodies: NO_BODIES,
      cookies: signedIn.map(({ cookie }) => cookie),
    },
    profile: {
      server: 'session-service',
      path: '/profile',
      headers: { authorization: `Bearer ${signedIn[0]!.accessToken}` },
    },
    issue: { server: 'challenge-service', path: '/api/captcha/pow' },
    image: { server: 'challenge-service', path: '/api/captcha' },
    siteverify: {
      server: 'challenge-service',
      path: '/api/captcha/siteverify',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      bodies: openReceipts(storeUrl, secret),
    },
    guard: { server: 'guarded', path: '/', headers: JSON_BODY, bodies: solved },
    login,
    'small-hash-login': { ...login, environment: { USERS_URL: `module:${SMALL_HASHES}` } },
  };
}

const SMALL_HASHES = fileURLToPath(new URL('../servers/small-hashes.js', import.meta.url));
const JSON_BODY = { 'content-type': 'application/json' };

const NO_BODIES: BodySupply = {
  take: async (count) => Array<string>(count).fill(''),
  giveBack() {},
};

/** Sends the parts one after the other. Returns microseconds of processor time per request of each. */
async function sendParts(
  { path, processorMs: usedMs = processorMs, headers = {}, bodies, cookies }: Measured,
  to: { url: string; pid: number; parts: number; connections: number; generator: Generator },
): Promise<number[]> {
  const { url, pid, parts, connections, generator } = to;
  const micros: number[] = [];
  while (micros.length < parts) {
    const plan: LoadPlan = {
      urls: [url],
      method: bodies === undefined ? 'GET' : 'POST',
      headers,
      bodies: await (bodies ?? NO_BODIES).take(PART),
      connections,
      seconds: SECONDS,
      pids: {},
      ...(cookies && { cookies }),
    };
    const beforeMs = usedMs(pid);
    const { failures, statuses, cookies: next } = await generator.run(plan);
    if (failures > 0) throw new Error(`${path} answered ${JSON.stringify(statuses)}`);
    micros.push(((usedMs(pid) - beforeMs) * 1000) / PART);
    cookies?.splice(0, cookies.length, ...next);
  }
  return micros;
}

/** Returns the path of Node's program of a line, which the registry has unless it is the one of this process. */
function findNode(line: string): string {
  if (process.version.startsWith(`v${line}.`)) return process.execPath;
  const args = [
    'exec',
    '--yes',
    `--package=node@${line}`,
    '--loglevel=error',
    '--',
    'node',
    '-p',
    'process.execPath',
  ];
  return execFileSync('npm', args, { encoding: 'utf8' }).trim();
}
