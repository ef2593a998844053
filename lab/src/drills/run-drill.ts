// Runs a drill: starts its system, applies load, causes the fault and ends it, inspects, and judges.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { openRandom } from '../random.js';
import type { Drill } from './drill.js';
import { type Inspection, inspect } from './ledger/inspection.js';
import { type Ledger, openLedger } from './ledger/ledger.js';
import type { Exchange } from './ledger/timeline.js';
import { openHttpClient } from './load/http-client.js';
import { startLoad } from './load/load.js';
import { REVOCATION_MS } from './load/visitor.js';
import { createAsk, type World } from './load/world.js';
import { openLab } from './servers/lab.js';
import { failuresAt, openSite, type Site } from './site.js';
import { type DrillResult, judge, type Run } from './verdict.js';

interface RunOptions {
  /** Variables of the command: `PATH`, and program locations. */
  readonly environment: Environment;
  /** Whether times count in the verdict; true by default. */
  readonly timed?: boolean;
  /** Milliseconds of load before the fault, in which sessions begin and every script is loaded; 3,000 by default. */
  readonly calmMs?: number;
  /** Seed of the load's choices. */
  readonly seed?: number;
  /** Called with progress messages. */
  readonly onStep?: (step: string) => void;
  /** Ends the drill early: everything is closed, and the promise rejects. */
  readonly signal?: AbortSignal;
}

const CALM_MS = 3_000;
/** Load after the last permitted failure. */
const MARGIN_MS = 3_000;
const SAMPLING_MS = 15_000;
const SAMPLING_PAUSE_MS = 100;
/** Timeout of a client. */
const PATIENCE_MS = 5_000;

type Observed = Pick<Run, 'faultMs' | 'recoveredMs' | 'inspection' | 'findings'>;

/** Runs a drill and removes everything that it started. @throws MissingProgramError if a program is not installed */
export async function runDrill(drill: Drill, options: RunOptions): Promise<DrillResult> {
  const { environment, timed = true, seed = Date.now() % 2 ** 31, onStep = () => {} } = options;
  const lab = openLab(environment);
  const ledger = openLedger();
  const exchanges: Exchange[] = [];
  let observed: Observed;
  let leftovers: string[] = [];
  try {
    onStep('starting');
    const site = await openSite(lab, drill.open, drill.environment);
    observed = await observe(drill, site, ledger, exchanges, { ...options, seed, onStep });
  } finally {
    onStep('closing');
    leftovers = await lab.close();
  }
  const run = { ledger, exchanges, ...observed, accidents: lab.accidents, leftovers };
  return judge(drill, run, { timed });
}

async function observe(
  drill: Drill,
  site: Site,
  ledger: Ledger,
  exchanges: Exchange[],
  { seed, onStep, signal, calmMs = CALM_MS }: RunOptions & Required<Pick<RunOptions, 'seed' | 'onStep'>>,
): Promise<Observed> {
  const pause = (ms: number) => sleep(ms, undefined, { ...(signal && { signal }) });
  const { target } = site;
  const client = openHttpClient(PATIENCE_MS);
  site.lab.onClose(() => client.close());
  let isCalm = true;
  const world: World = {
    ...target,
    ledger,
    random: openRandom(seed),
    stock: [],
    signingIn: new Set(),
    interrupted: new Set(),
    ask: createAsk(client, target.publicUrl, (exchange) => exchanges.push(exchange)),
    isCalm: () => isCalm,
  };
  onStep(`load, seed ${seed}`);
  const load = startLoad(world, exchanges);
  const stopLoad = () => load.stop();
  try {
    await pause(calmMs);
    onStep('fault');
    isCalm = false;
    const faultMs = performance.now();
    await drill.fault(site);
    await pause(drill.holdMs ?? 0);
    onStep('recovery');
    await drill.recovery?.(site);
    const recoveredMs = performance.now();
    await pause(drill.observeMs ?? drill.lastFailureMs + MARGIN_MS);
    await untilSampled(ledger, pause);
    await stopLoad();
    await pause(REVOCATION_MS);
    onStep('inspection');
    const inspection = await inspectAfter(drill, site, world, client);
    const findings = (await drill.check?.(site)) ?? [];
    return { faultMs, recoveredMs, inspection, findings };
  } finally {
    await stopLoad();
  }
}

/** Waits until the ledger has something of each kind to inspect, which takes longer on a busy machine. */
async function untilSampled(ledger: Ledger, pause: (ms: number) => Promise<void>): Promise<void> {
  const endMs = performance.now() + SAMPLING_MS;
  const isMissing = () =>
    [ledger.live, ledger.ended, ledger.spent, ledger.accounts].some(({ items }) => items.length === 0);
  while (isMissing() && performance.now() < endMs) await pause(SAMPLING_PAUSE_MS);
}

/** Requests of the inspection do not count as load. */
async function inspectAfter(
  drill: Drill,
  site: Site,
  world: World,
  client: ReturnType<typeof openHttpClient>,
): Promise<Inspection> {
  const ask = createAsk(client, world.publicUrl, () => {});
  return inspect(
    { ...world, ask },
    {
      sessionUrls: site.sessions.map(({ publicUrl }) => publicUrl),
      counts: drill.keepsCounts ?? true,
      failuresAt,
    },
  );
}
