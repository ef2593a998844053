// Whether the services' memory stays the same under a steady load, and whether every store key expires.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { countFailures } from '../drills/ledger/timeline.js';
import type { World } from '../drills/load/world.js';
import { type Lab, openLab } from '../drills/servers/lab.js';
import { onRedis } from '../drills/servers/redis.js';
import { openSite } from '../drills/site.js';
import { fillCaches } from '../memory/fill-caches.js';
import { findKeysWithoutExpiry } from '../memory/keys-without-expiry.js';
import { type Counts, openWorld, startLoads } from '../memory/loads.js';
import { PROBE_FOLDER } from '../memory/probe.js';
import { readMemory } from '../memory/read-memory.js';
import { fitSlope, type Sample } from '../memory/slope.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { median } from '../statistics.js';

const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;
const KILOBYTE = 1024;
/**
 * Loads before the run, and their number of requests: V8 compiles frequent code, and each thread takes memory for it. That
 * grows with the logarithm of the requests.
 */
const WARM_UP = { loads: 8, requests: 60_000 };
const WARM_UP_LOOKS_MS = 1_000;

/** The first third is left out: until then the faster warm-up load has an effect, and the heap finds its size. */
const SETTLING_SHARE = 1 / 3;

/**
 * Maximum slope of a flat series, in bytes per request: an object with one field has 16 on the heap and a map entry about
 * 40, so anything kept for each request is detected.
 */
const BYTES_PER_REQUEST = 32;

/** Access tokens are short-lived, so that the number of ended sessions in memory is final after two minutes. */
const ENVIRONMENT = { ACCESS_TTL: '60' };

/** For tokens created here. */
const SECRETS = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY'];

/** Number of parts of the run whose medians are printed. */
const PARTS = 6;

const PROBE = new URL('../memory/probe.js', import.meta.url).href;

/** The memory of one process over time. Times are minutes, values kilobytes. */
interface Series {
  readonly name: string;
  readonly pid: number;
  readonly folder: string;
  readonly anonymous: Sample[];
  readonly ofFiles: Sample[];
  readonly heap: Sample[];
}

const OPTIONS = {
  minutes: { type: 'string', default: '30' },
  loads: { type: 'string', default: '1' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'memory slope of two processes of each service under a steady load, and keys without expiry',
  method: `After 70,000 tokens have been verified, which fills the caches, and ${WARM_UP.requests} requests of a load ${WARM_UP.loads} times as fast: the load of the drills, 40 operations a second,
for 30 minutes (--minutes N), or several such loads at once (--loads N). Every 10 s each process collects garbage and reports its resident memory, without file pages, and its heap. Slopes are those of a line through the last two thirds, in kB per minute, with the half width of their 95 % interval.`,
  options: OPTIONS,
  async run({ values }, report) {
    const extent = { minutes: Number(values.minutes), loads: Number(values.loads) };
    const lab = openLab(process.env);
    let leftovers: string[] = [];
    try {
      await measure(lab, extent, report);
    } finally {
      leftovers = await lab.close();
    }
    for (const line of [...lab.accidents, ...leftovers]) report.say(line);
    report.verdict('accidents, and what is left afterwards', lab.accidents.length + leftovers.length, {
      atMost: 0,
    });
  },
};
export default program;

interface Extent {
  readonly minutes: number;
  /** Number of concurrent loads. */
  readonly loads: number;
}

async function measure(lab: Lab, { minutes, loads }: Extent, report: Report): Promise<void> {
  const folder = join(lab.folder, 'probe');
  mkdirSync(folder);
  const probed = { NODE_OPTIONS: `--import=${PROBE}`, [PROBE_FOLDER]: folder };
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, randomBytes(32).toString('hex')]));
  const site = await openSite(lab, onRedis(), { ...ENVIRONMENT, ...secrets, ...probed });
  const sessionUrls = site.sessions.map(({ publicUrl }) => publicUrl);
  const storeUrl = `redis://127.0.0.1:${site.stage.redis.port}`;
  await fillCaches(sessionUrls, storeUrl, { ...ENVIRONMENT, ...secrets });
  const redis = new Redis(site.stage.redis.port, '127.0.0.1');
  lab.onClose(() => redis.disconnect());
  const { world, counts } = openWorld(site);
  await warmUp(world, counts);
  const services = site.services.map(({ name, node, pid }) => ({ name: `${name} ${node}`, pid: pid! }));
  const all: Series[] = services.map((one) => ({ ...one, folder, anonymous: [], ofFiles: [], heap: [] }));
  const stopLoads = startLoads(world, loads);
  try {
    await sampleAll(all, minutes);
    reportSlopes(report, all, minutes, counts);
    const { keys, eternal } = await findKeysWithoutExpiry(redis);
    report.row('keys in Redis', { all: keys, 'without expiry': eternal.length });
    if (eternal.length > 0) report.say(`without expiry: ${eternal.join(', ')}`);
    report.verdict('keys without expiry', eternal.length, { atMost: 0 });
  } finally {
    await stopLoads();
  }
}

async function warmUp(world: World, counts: Counts): Promise<void> {
  const stopLoads = startLoads(world, WARM_UP.loads);
  while (counts.requests < WARM_UP.requests) await pause(WARM_UP_LOOKS_MS);
  await stopLoads();
  Object.assign(counts, { requests: 0, failed: [] });
}

async function sampleAll(all: readonly Series[], minutes: number): Promise<void> {
  const startMs = performance.now();
  for (let count = 1; count * SAMPLE_MS <= minutes * MINUTE_MS; count++) {
    await pause(startMs + count * SAMPLE_MS - performance.now());
    for (const { pid, folder, anonymous, ofFiles, heap } of all) {
      const reading = await readMemory(folder, pid);
      const at = (performance.now() - startMs) / MINUTE_MS;
      anonymous.push({ at, value: reading.anonymous / KILOBYTE });
      ofFiles.push({ at, value: reading.ofFiles / KILOBYTE });
      heap.push({ at, value: (reading.heapUsed + reading.external) / KILOBYTE });
    }
  }
}

function reportSlopes(
  report: Report,
  all: readonly Series[],
  minutes: number,
  { requests, failed }: Counts,
): void {
  const perMinute = requests / minutes / all.length;
  const bound = (perMinute * BYTES_PER_REQUEST) / KILOBYTE;
  report.row('load', { requests, failed: failed.length, 'a minute and process': perMinute });
  for (const [kind, count] of Object.entries(countFailures(failed))) report.say(`failed: ${count} × ${kind}`);
  report.verdict('failed requests', failed.length, { atMost: 0 });
  for (const { name, anonymous, ofFiles, heap } of all) {
    report.row(`${name}, pages of files`, mediansOf(ofFiles, minutes));
    for (const [what, samples] of Object.entries({ resident: anonymous, heap })) {
      const { slope, halfWidth } = fitSlope(samples.filter(({ at }) => at > minutes * SETTLING_SHARE));
      report.row(`${name}, ${what}`, {
        'kB a minute': slope,
        'half width': halfWidth,
        ...mediansOf(samples, minutes),
      });
      // A slope that is not significantly different from 0 counts as 0.
      const distinct = slope - halfWidth <= 0 ? Math.min(slope, 0) : slope;
      report.verdict(`${name}, ${what}: slope`, distinct, { atMost: bound }, 'kB a minute');
    }
  }
}

/** The median of each part of the run, in kB. */
function mediansOf(samples: readonly Sample[], minutes: number): Record<string, number> {
  const length = minutes / PARTS;
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const own = samples.filter(({ at }) => at > part * length && at <= (part + 1) * length);
    return [`kB to ${((part + 1) * length).toFixed(0)} min`, median(own.map(({ value }) => value))] as const;
  });
  return Object.fromEntries(parts);
}
