// Requests per second of 1, 2 and 4 processes of one service, and response times at lower rates.
import { assignCores, describeCores, pin } from '../cores.js';
import { type Cost, openGenerator } from '../load/open-generator.js';
import type { Pace } from '../load/routes.js';
import type { Open } from '../opened.js';
import type { Report } from '../report/report.js';
import { measureInTurn, ratios } from '../rounds.js';
import type { Site } from '../site.js';
import { median } from '../statistics.js';
import { type ServiceCopy, startCopy } from './service-copies.js';

const COUNTS = [1, 2, 4];
/** Shares of the maximum requests per second. */
const SHARES = [0.5, 0.8];
/** Requests of two processes relative to those of one. */
const SCALING = 1.8;
/** For two processes, Redis and the load generator. */
const CORES_FOR_TWO = 4;

const rate = ({ requestsPerSecond }: Cost) => requestsPerSecond;
const sum = ({ micros }: Cost) => micros.service! + micros.Redis!;

export async function measureThroughput(
  report: Report,
  open: Open,
  site: Site,
  pace: Pace,
  rounds: number,
): Promise<void> {
  const cores = assignCores(Math.max(...COUNTS));
  report.say(`\nGET /api/captcha/pow; ${describeCores(cores)}`);
  const generator = await open(openGenerator(cores.load));
  pin(site.redis!.pid, cores.redis);
  const copies: ServiceCopy[] = [];
  while (copies.length < Math.max(...COUNTS)) {
    const core = cores.measured[copies.length % cores.measured.length]!;
    copies.push(await open(startCopy(site, 'challenge-service', [core])));
  }
  const run = (count: number, extra: Partial<Pace> = {}) => {
    const used = copies.slice(0, count);
    const urls = used.map(({ url }) => `${url}/api/captcha/pow`);
    const pids = { service: used.map(({ pid }) => pid), Redis: site.redis!.pid };
    return generator.run({ urls, pids, ...pace, ...extra });
  };
  const nameOf = (count: number) => `${count} process${count === 1 ? '' : 'es'}`;
  const most = await measureInTurn(
    Object.fromEntries(COUNTS.map((count) => [nameOf(count), () => run(count)])),
    rounds,
  );
  for (const [name, costs] of Object.entries(most)) {
    report.row(name, {
      'requests/s': costs.map(rate),
      'service µs': costs.map(({ micros }) => micros.service!),
      'Redis µs': costs.map(({ micros }) => micros.Redis!),
      'p99 ms': costs.map(({ p99Ms }) => p99Ms),
    });
  }
  const below = COUNTS.flatMap((count) =>
    SHARES.map((share) => {
      const at = median(most[nameOf(count)]!.map(rate)) * share;
      return [`${nameOf(count)}, ${share * 100} % of that`, () => run(count, { rate: at })] as const;
    }),
  );
  for (const [name, costs] of Object.entries(await measureInTurn(Object.fromEntries(below), rounds))) {
    report.row(name, {
      'requests/s': costs.map(rate),
      'p50 ms': costs.map(({ p50Ms }) => p50Ms),
      'p99 ms': costs.map(({ p99Ms }) => p99Ms),
    });
  }
  const [one, two] = [most[nameOf(1)]!, most[nameOf(2)]!];
  report.row('one Redis on one core carries at most', {
    'requests/s': one.map(({ micros }) => 1e6 / micros.Redis!),
  });
  report.row('a request with 4 processes, times with 1', {
    'processor time': ratios(most[nameOf(4)]!.map(sum), one.map(sum)),
  });
  if (cores.measured.length + 2 >= CORES_FOR_TWO) {
    const times = ratios(two.map(rate), one.map(rate));
    report.verdict('requests of two processes, times one', times, { atLeast: SCALING });
  } else {
    report.say('Too few cores to show how throughput grows: all processes share those of the first.');
  }
}
