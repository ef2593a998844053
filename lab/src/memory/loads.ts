// Several concurrent loads of the drills, and the number of their requests.
import { openLedger } from '../drills/ledger/ledger.js';
import type { Exchange } from '../drills/ledger/timeline.js';
import { openHttpClient } from '../drills/load/http-client.js';
import { startLoad } from '../drills/load/load.js';
import { createAsk, type World } from '../drills/load/world.js';
import type { OnRedis } from '../drills/servers/redis.js';
import type { Site } from '../drills/site.js';
import { openRandom } from '../random.js';

const CLIENT_TIMEOUT_MS = 10_000;

/** The number of completed requests, and the failed ones. */
export interface Counts {
  requests: number;
  failed: Exchange[];
}

/** The environment of the drills' load, which uses all functions of the services. */
export function openWorld(site: Site<OnRedis>): { world: World; counts: Counts } {
  const client = openHttpClient(CLIENT_TIMEOUT_MS);
  site.lab.onClose(() => client.close());
  const counts: Counts = { requests: 0, failed: [] };
  const record = (exchange: Exchange) => {
    counts.requests += 1;
    if (exchange.failure !== undefined) counts.failed.push(exchange);
  };
  const world: World = {
    ...site.target,
    ledger: openLedger(),
    random: openRandom(1),
    stock: [],
    signingIn: new Set(),
    interrupted: new Set(),
    ask: createAsk(client, site.target.publicUrl, record),
    isCalm: () => true,
  };
  return { world, counts };
}

/**
 * Starts this many loads of the drills, of 40 operations a second each.
 * @returns ends them, and resolves when all requests have completed
 */
export function startLoads(world: World, count: number): () => Promise<void> {
  const loads = Array.from({ length: count }, () => startLoad(world, []));
  return async () => {
    await Promise.all(loads.map((load) => load.stop()));
  };
}
