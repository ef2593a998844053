// An idle service: the processor time until it listens, its memory, and its wake-ups.
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '@tollgate/tools/launcher/local-environment.js';
import { processorMs, proportionalBytes, residentBytes, wakeUps } from '../cpu-time.js';
import { startCopy } from '../one-machine/service-copies.js';
import type { Open } from '../opened.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { openSite, type Site } from '../site.js';

const MEGABYTE = 1024 * 1024;
/** By then, the collector and the first checks after a start have run. */
const SETTLE_MS = 60_000;
const MAX_WAKE_UPS = 4;

const OPTIONS = {
  starts: { type: 'string', default: '7' },
  seconds: { type: 'string', default: '60' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'idle service: processor time of its start, memory, wake-ups per second',
  method: `Start: processor time of all threads from the start of the process to its first response.
Wake-ups: voluntary context switches of all threads, counted ${SETTLE_MS / 1000} seconds after the start. Memory: resident, and with shared pages divided among
the processes that share them.
Options: --starts 7 --seconds 60`,
  options: OPTIONS,
  async run({ values }, report, open) {
    for (const store of ['redis', 'embedded'] as const) {
      report.say(`\n${store === 'redis' ? 'on Redis' : 'on the embedded store'}`);
      const site = await open(openSite({ store }));
      await sleep(SETTLE_MS);
      await measureRest(report, site, store, Number(values.seconds));
      await measureStarts(report, open, site, Number(values.starts));
    }
  },
};
export default program;

async function measureRest(report: Report, { system }: Site, store: string, seconds: number): Promise<void> {
  const pids = serviceNames.map((name) => system.processes[name].child.pid!);
  const before = pids.map((pid) => ({ wakeUps: wakeUps(pid), ms: processorMs(pid) }));
  await sleep(seconds * 1000);
  for (const [at, name] of serviceNames.entries()) {
    const pid = pids[at]!;
    const perSecond = (wakeUps(pid) - before[at]!.wakeUps) / seconds;
    report.row(name, {
      'wake-ups/s': perSecond,
      'ms of processor/s': (processorMs(pid) - before[at]!.ms) / seconds,
      'MB resident': residentBytes(pid) / MEGABYTE,
      'MB proportional': proportionalBytes(pid) / MEGABYTE,
    });
    report.verdict(`${name}, ${store} store: wake-ups`, perSecond, { atMost: MAX_WAKE_UPS }, 'a second');
  }
}

async function measureStarts(report: Report, open: Open, site: Site, starts: number): Promise<void> {
  for (const name of serviceNames) {
    const processor: number[] = [];
    const wall: number[] = [];
    for (let start = 0; start < starts; start++) {
      const copy = await open(startCopy(site, name));
      processor.push(processorMs(copy.pid));
      wall.push(copy.startMs);
      await copy.close();
    }
    report.row(`start of ${name}`, { 'ms of processor': processor, 'ms to the first response': wall });
  }
}
