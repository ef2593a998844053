// One machine: throughput, response times, memory and start-up of several processes of a service.
import { parseArgs } from 'node:util';
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

const program: Program = {
  title: '1, 2 and 4 processes of a service on one machine: throughput, response times, memory, start-up',
  method: `Throughput: the challenge service issues from one Redis; each process is pinned to a core, as far as there are cores. Response times at 50 and 80 %
of the most requests per second, which are sent when due, whatever has been answered.
Memory: VmRSS of each service before load, under it, and 10 seconds after it; of a connection: 4,000 that stay open, in a fresh process.
Start-up: from the start of the process to the first answer to a request; "npm start" with a data folder that an earlier start has filled.
Arguments: ${SUBJECTS.join(', ')} (all of them without). Options: --rounds 5 --seconds 2 --connections 64`,
  async run(args, report, open) {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
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
