// Whether the memory of the services stays the same under a steady load, and whether every key of the store expires.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openLedger } from '@tollgate/deploy/drills/ledger/ledger.js';
import type { Exchange } from '@tollgate/deploy/drills/ledger/timeline.js';
import { openHttpClient } from '@tollgate/deploy/drills/load/http-client.js';
import { type Load, startLoad } from '@tollgate/deploy/drills/load/load.js';
import { seededRandom } from '@tollgate/deploy/drills/load/random.js';
import { createAsk, type World } from '@tollgate/deploy/drills/load/world.js';
import { type Lab, openLab } from '@tollgate/deploy/drills/servers/lab.js';
import { type OnRedis, onRedis } from '@tollgate/deploy/drills/servers/redis.js';
import { openSite, type Site } from '@tollgate/deploy/drills/site.js';
import { Redis } from 'ioredis';
import { findKeysWithoutExpiry } from '../memory/keys-without-expiry.js';
import { PROBE_FOLDER } from '../memory/probe.js';
import { readMemory } from '../memory/read-memory.js';
import { fitSlope, type Sample } from '../memory/slope.js';
import type { Program } from '../program.js';

const MINUTES = 30;
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;
const KILOBYTE = 1024;
const CLIENT_TIMEOUT_MS = 10_000;
/** The first third is left out: until then caches fill, code is compiled, and the heap finds its size. */
const SETTLING_SHARE = 1 / 3;

/**
 * Slope up to which a series counts as flat, in bytes per request: an object with one field has 16 on the heap and an
 * entry of a map about 40, so whatever is kept for each request shows.
 */
const BYTES_PER_REQUEST = 32;

/** Access tokens are short-lived, so that the ended sessions in memory have their final number after two minutes. */
const ENVIRONMENT = { ACCESS_TTL: '60' };

const PROBE = new URL('../memory/probe.js', import.meta.url).href;

/** The memory of one process over time. Times are minutes, values kilobytes. */
interface Series {
  readonly name: string;
  readonly pid: number;
  readonly folder: string;
  readonly rss: Sample[];
  readonly heap: Sample[];
}

const program: Program = {
  title:
    'memory of two processes of each service under a steady load: its slope, and keys without expiry (memory -- --minutes N)',
  async run(args) {
    const { values } = parseArgs({ args: [...args], options: { minutes: { type: 'string' } } });
    const minutes = Number(values.minutes ?? MINUTES);
    const lab = openLab(process.env);
    let leftovers: string[] = [];
    let isFlat = false;
    try {
      isFlat = await measure(lab, minutes);
    } finally {
      leftovers = await lab.close();
    }
    for (const line of [...lab.accidents, ...leftovers]) console.log(line);
    return isFlat && lab.accidents.length === 0 && leftovers.length === 0;
  },
};
export default program;

async function measure(lab: Lab, minutes: number): Promise<boolean> {
  const folder = join(lab.folder, 'probe');
  mkdirSync(folder);
  const probed = { NODE_OPTIONS: `--import=${PROBE}`, [PROBE_FOLDER]: folder };
  const site = await openSite(lab, onRedis(), { ...ENVIRONMENT, ...probed });
  const redis = new Redis(site.stage.redis.port, '127.0.0.1');
  lab.onClose(() => redis.disconnect());
  const { load, counts } = putLoadOn(site);
  const services = site.services.map(({ name, node, pid }) => ({ name: `${name} ${node}`, pid: pid! }));
  const all: Series[] = services.map((one) => ({ ...one, folder, rss: [], heap: [] }));
  try {
    await sampleAll(all, minutes);
    const isFlat = report(all, minutes, counts);
    const { keys, eternal } = await findKeysWithoutExpiry(redis);
    console.log(
      `${keys} keys in Redis; without expiry: ${eternal.length === 0 ? 'none' : eternal.join(', ')}`,
    );
    return isFlat && eternal.length === 0;
  } finally {
    await load.stop();
  }
}

/** The load of the drills: everything that the services do, 40 operations a second. */
function putLoadOn(site: Site<OnRedis>): { load: Load; counts: { requests: number; failures: number } } {
  const client = openHttpClient(CLIENT_TIMEOUT_MS);
  site.lab.onClose(() => client.close());
  const counts = { requests: 0, failures: 0 };
  const record = ({ failure }: Exchange) => {
    counts.requests += 1;
    if (failure !== undefined) counts.failures += 1;
  };
  const world: World = {
    ...site.target,
    ledger: openLedger(),
    random: seededRandom(1),
    stock: [],
    signingIn: new Set(),
    interrupted: new Set(),
    ask: createAsk(client, site.target.publicUrl, record),
    isCalm: () => true,
  };
  return { load: startLoad(world, []), counts };
}

async function sampleAll(all: readonly Series[], minutes: number): Promise<void> {
  const startMs = performance.now();
  for (let count = 1; count * SAMPLE_MS <= minutes * MINUTE_MS; count++) {
    await pause(startMs + count * SAMPLE_MS - performance.now());
    for (const { pid, folder, rss, heap } of all) {
      const reading = await readMemory(folder, pid);
      const at = (performance.now() - startMs) / MINUTE_MS;
      rss.push({ at, value: reading.rss / KILOBYTE });
      heap.push({ at, value: (reading.heapUsed + reading.external) / KILOBYTE });
    }
  }
}

function report(
  all: readonly Series[],
  minutes: number,
  { requests, failures }: { requests: number; failures: number },
): boolean {
  const perMinute = requests / minutes / all.length;
  const bound = (perMinute * BYTES_PER_REQUEST) / KILOBYTE;
  console.log(
    `${requests} requests, ${failures} failed: ${perMinute.toFixed(0)} a minute and process; bound ${bound.toFixed(0)} kB a minute, ${BYTES_PER_REQUEST} bytes for each`,
  );
  const verdicts = all.flatMap(({ name, rss, heap }) =>
    Object.entries({ rss, heap }).map(([what, samples]) =>
      reportSeries(`${name} ${what}`, samples, minutes, bound),
    ),
  );
  return failures === 0 && verdicts.every(Boolean);
}

/** Flat: the slope is no higher than the bound, or cannot be told from 0. */
function reportSeries(name: string, samples: readonly Sample[], minutes: number, bound: number): boolean {
  const settled = samples.filter(({ at }) => at > minutes * SETTLING_SHARE);
  const { slope, halfWidth } = fitSlope(settled);
  const [first, last] = [samples[0]!, samples.at(-1)!].map(({ value }) => Math.round(value));
  const isFlat = slope <= bound || slope - halfWidth <= 0;
  console.log(
    `${name.padEnd(26)}${slope.toFixed(1).padStart(8)} ± ${halfWidth.toFixed(1)} kB a minute; ${first} kB at first, ${last} kB in the end${isFlat ? '' : '; GROWS'}`,
  );
  return isFlat;
}
