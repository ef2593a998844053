// One machine: throughput, response times, memory and start-up of several processes of a service.
import { ACCOUNT } from '../log-in.js';
import { measureMemory } from '../one-machine/memory.js';
import { measureStartUp } from '../one-machine/start-up.js';
import { measureThroughput } from '../one-machine/throughput.js';
import type { Program } from '../program.js';
import { openSite } from '../site.js';

const SUBJECTS = ['throughput', 'memory', 'start-up'] as const;

const OPTIONS = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '64' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: '1, 2 and 4 processes of a service on one machine: throughput, response times, memory, start-up',
  method: `Throughput: the challenge service issues from one Redis; each process is pinned to a core, if there are enough cores. Response times at 50 and 80 %
of the maximum requests per second, sent when due, regardless of responses.
Memory: VmRSS of each service before load, during it, and 10 seconds after it; of a connection: 4,000 open ones in a fresh process.
Start-up: from the start of the process to the first response; "npm start" with the data folder of an earlier start.
Arguments: ${SUBJECTS.join(', ')} (default: all). Options: --rounds 5 --seconds 2 --connections 64`,
  options: OPTIONS,
  operands: SUBJECTS,
  async run({ values, positionals }, report, open) {
    const wants = (subject: (typeof SUBJECTS)[number]) =>
      positionals.length === 0 || positionals.includes(subject);
    const pace = { connections: Number(values.connections), seconds: Number(values.seconds) };
    const environment = { REFRESH_WINDOW: '0', MAX_SESSIONS: '500' };
    const site = await open(openSite({ environment, accounts: [ACCOUNT] }));
    // Before load from this process and its neighbours.
    if (wants('memory')) await measureMemory(report, open, site, pace);
    if (wants('start-up')) await measureStartUp(report, site);
    if (wants('throughput')) await measureThroughput(report, open, site, pace, Number(values.rounds));
  },
};
export default program;
