// The load of the drills, several times at once, and how many requests it has sent.
import { openLedger } from '../drills/ledger/ledger.js';
import type { Exchange } from '../drills/ledger/timeline.js';
import { openHttpClient } from '../drills/load/http-client.js';
import { startLoad } from '../drills/load/load.js';
import { createAsk, type World } from '../drills/load/world.js';
import type { OnRedis } from '../drills/servers/redis.js';
import type { Site } from '../drills/site.js';
import { openRandom } from '../random.js';

const CLIENT_TIMEOUT_MS = 10_000;

/** How many requests were answered, and those of them that failed. */
export interface Counts {
  requests: number;
  failed: Exchange[];
}

/** What the load of the drills acts with: it does everything that the services do. */
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
 * Starts so many loads of the drills, of 40 operations a second each.
 * @returns what ends them, and resolves when nothing is under way any more
 */
export function startLoads(world: World, count: number): () => Promise<void> {
  const loads = Array.from({ length: count }, () => startLoad(world, []));
  return async () => {
    await Promise.all(loads.map((load) => load.stop()));
  };
}
