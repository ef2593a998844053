// Public alternatives from the registry: the same work by us and by others, measured in turns.
import { assignCores, describeCores } from '../cores.js';
import { openGenerator } from '../load/open-generator.js';
import { openRoutes } from '../load/routes.js';
import { logIn, makeAccounts } from '../log-in.js';
import type { Open } from '../opened.js';
import { installPeers, type Peers, VERSIONS } from '../peers/packages.js';
import { compareSessions } from '../peers/sessions.js';
import { FIRST_REQUESTS } from '../peers/side-by-side.js';
import { compareTokens } from '../peers/tokens.js';
import { type Bench, compareWork } from '../peers/work.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { startServer } from '../server-process.js';
import { openSite } from '../site.js';
import solver from './solver.js';

const SUBJECTS = ['work', 'tokens', 'sessions', 'solving'] as const;

const OPTIONS = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '50' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'public packages with the same work: work of Tollgate per processor second relative to theirs',
  method: `The packages are installed from the registry into a temporary folder. Over HTTP, the processor time of the server and of Redis together is
divided by the completed requests; tokens are issued and opened in this process, whose processor time includes its threads.
All use one Redis without persistence, their clients write the commands of one turn together, and each session has an account of its own.
Before the rounds, each new process gets its first ${FIRST_REQUESTS} requests. Rows that do less than Tollgate are only shown, unless a goal names them.
Arguments: ${SUBJECTS.join(', ')} (default: all). Options: --rounds 5 --seconds 2 --connections 50`,
  options: OPTIONS,
  operands: SUBJECTS,
  async run({ values, positionals }, report, open) {
    const wants = (subject: (typeof SUBJECTS)[number]) =>
      positionals.length === 0 || positionals.includes(subject);
    const peers = await open(installPeers());
    const versions = Object.entries(VERSIONS).map(([name, version]) => `${name} ${version}`);
    report.say(`packages: ${versions.join(', ')}`);
    if (wants('tokens')) await compareTokens(report, open, peers.load);
    if (wants('work') || wants('sessions')) {
      const pace = { connections: Number(values.connections), seconds: Number(values.seconds) };
      const bench = { ...(await openBench(report, open, peers, pace)), rounds: Number(values.rounds) };
      if (wants('work')) await compareWork(bench);
      if (wants('sessions')) await compareSessions(bench);
    }
    if (wants('solving')) await solver.run({ values: {}, positionals: [] }, report, open);
  },
};
export default program;

async function openBench(
  report: Report,
  open: Open,
  peers: Peers,
  pace: Bench['pace'],
): Promise<Omit<Bench, 'rounds'>> {
  const cores = assignCores();
  report.say(describeCores(cores));
  const accounts = makeAccounts(pace.connections);
  const site = await open(openSite({ cores, environment: { REFRESH_WINDOW: '0' }, accounts }));
  const guardedBy = { environment: site.environment, cores: cores.measured };
  const guarded = await open(startServer('guarded', guardedBy));
  const generator = await open(openGenerator(cores.load));
  const routes = openRoutes(site, guarded, await logIn(site, pace.connections, accounts), generator);
  return { report, open, peers, generator, routes, redis: site.redis!, cores, pace };
}
