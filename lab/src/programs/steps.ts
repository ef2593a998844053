// The cost of each step of a `siteverify` request, in a bare server to which one after the other is added.
import { assignCores, describeCores } from '../cores.js';
import { type Cost, openGenerator } from '../load/open-generator.js';
import { openPrivateRedis } from '../private-redis.js';
import type { Program } from '../program.js';
import { measureInTurn, ratios } from '../rounds.js';
import { startServer } from '../server-process.js';

const STEPS = [
  'one GETDEL and a hash',
  'a form is read',
  'the MAC of a receipt',
  'a limit in the same script',
  'a line of the log',
  'eight headers',
  'CORS',
] as const;

/** Optional steps of a server for a request. */
export type Step = (typeof STEPS)[number];

const ROUNDS = 7;
const SECONDS = 1.5;
const CONNECTIONS = 50;
/** More than are sent within the time. */
const BODIES = 150_000;
/** The bound of the whole route, in the program `http`. */
const SHARE_OF_ROUTE = 0.7;
const FORM = new URLSearchParams({
  secret: 's'.repeat(43),
  response: 'r'.repeat(180),
  remoteip: '192.0.2.1',
}).toString();

const program: Program = {
  title: 'share of each step of siteverify, added to a bare server one after the other',
  method: `${CONNECTIONS} connections, ${SECONDS} s per run, ${ROUNDS} rounds in turn. A share is the processor time of the bare take (one GETDEL and a
hash) divided by that of the server with all steps up to here. The bound of the whole route is ${SHARE_OF_ROUTE}.`,
  async run(_args, report, open) {
    const cores = assignCores();
    const redis = await open(openPrivateRedis(cores.redis));
    const generator = await open(openGenerator(cores.load));
    report.say(describeCores(cores));
    const subjects: Record<string, () => Promise<Cost>> = {};
    const bodies = Array.from({ length: BODIES }, () => FORM);
    for (const [at, step] of STEPS.entries()) {
      const args = [redis.url, ...STEPS.slice(0, at + 1)];
      const { url, pid } = await open(startServer('steps', { args, cores: cores.measured }));
      const plan = { urls: [url], pids: { server: pid }, connections: CONNECTIONS, seconds: SECONDS };
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const posted = { ...plan, method: 'POST', headers, bodies } as const;
      subjects[step] = () => generator.run(at === 0 ? plan : posted);
    }
    const costs = await measureInTurn(subjects, ROUNDS);
    const micros = (step: string) => costs[step]!.map((cost) => cost.micros.server!);
    const failures = Object.values(costs).flatMap((of) => of.map((cost) => cost.failures));
    for (const step of STEPS) {
      const shares = ratios(micros(STEPS[0]), micros(step));
      report.row(step, { 'server µs': micros(step), share: shares });
    }
    report.verdict('requests that failed', Math.max(...failures), { atMost: 0 });
  },
};
export default program;
