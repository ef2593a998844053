// Checks that the stores respond and are durable.

import { existsSync } from 'node:fs';
import type { SessionConfig } from '@tollgate/session-service/config.js';
import {
  type Held,
  openConfiguredStore,
  parseStoreUrl,
  type Store,
  StoreUnavailableError,
  waitForStore,
  watchStore,
} from '@tollgate/shared/store';
import { type Finding, good, problem, warning } from '../report.js';
import { type ChallengeNodes, diagnoseChallengeNodes, probeChallengeNodes } from './challenge-nodes.js';
import { diagnoseRedis, probeRedis, type RedisServerFacts } from './redis.js';

/** Facts about the stores. */
interface StoreFacts {
  /** The responding Redis servers, that of the sessions first. */
  readonly servers: readonly RedisServerFacts[];
  /** The stores that did not respond. */
  readonly away: readonly AwayStore[];
  /** Whether sessions and challenges have different addresses. */
  readonly areTwo: boolean;
  /** The nodes on the challenge store; undefined if it does not respond. */
  readonly challenges?: ChallengeNodes | undefined;
}

/** A store that did not respond. */
interface AwayStore {
  readonly variable: string;
  /** The reason, if known: "its password is wrong". */
  readonly reason?: string | undefined;
}

/** Time for a store to connect. */
const CONNECT_MS = 3000;

/** A configured store. */
export interface OpenedStore {
  readonly variable: string;
  /** Undefined if it is a file that does not exist, or cannot be opened. */
  readonly store: Store | undefined;
}

/**
 * Opens the session store, then the challenge store if it is another one. Creates no file.
 *
 * @param root base folder of relative paths
 * @param collect runs its argument and collects the mistakes of a ConfigurationError
 */
export async function openStores(
  { storeUrl, challengeStoreUrl }: SessionConfig,
  root: string,
  collect: (work: () => Store) => Promise<Store | undefined>,
): Promise<OpenedStore[]> {
  const open = async (variable: string, url: string): Promise<OpenedStore> => {
    const address = parseStoreUrl(url, root);
    const isMissing = address.kind === 'embedded' && !existsSync(address.path);
    return {
      variable,
      store: isMissing ? undefined : await collect(() => openConfiguredStore(variable, url, root)),
    };
  };
  const sessions = await open('STORE_URL', storeUrl);
  if (challengeStoreUrl === storeUrl) return [sessions];
  return [sessions, await open('CAPTCHA_CACHE_STORE', challengeStoreUrl)];
}

/** Closes every opened store. */
export async function closeStores(opened: readonly OpenedStore[]): Promise<void> {
  for (const { store } of opened) if (store !== undefined) await store.close();
}

/** Reads the clock of each store, and the properties of each Redis. */
export async function probeStores(
  opened: readonly OpenedStore[],
  { storeUrl, challengeStoreUrl, values }: SessionConfig,
): Promise<StoreFacts> {
  const away: AwayStore[] = [];
  const servers: RedisServerFacts[] = [];
  const all: readonly Held[] = ['sessions', 'challenges'];
  for (const [at, { variable, store }] of opened.entries()) {
    const missing = store === undefined ? { variable } : await askStore(variable, store);
    if (missing !== undefined) away.push(missing);
    else if (store?.kind === 'redis') {
      const holds = opened.length === 1 ? all : all.slice(at, at + 1);
      servers.push(...(await probeRedis(variable, holds, store)));
    }
  }
  const last = opened.at(-1);
  return {
    servers,
    away,
    areTwo: challengeStoreUrl !== storeUrl,
    challenges:
      last?.store === undefined || away.some(({ variable }) => variable === last.variable)
        ? undefined
        : await probeChallengeNodes(last.variable, last.store, values.CHALLENGE_SECRET),
  };
}

/**
 * Requires suitable versions, eviction, persistence and clocks, one secret for all nodes, and that a flood of challenges
 * cannot fill the session store's memory.
 */
export function diagnoseStores({ servers, away, areTwo, challenges: nodes }: StoreFacts): Finding[] {
  const found = away.map(({ variable, reason }) =>
    problem(
      'store_away',
      `The store in ${variable} does not respond from here${reason === undefined ? '' : `: ${reason}`}.`,
      'Start it, or correct its address.',
    ),
  );
  for (const server of servers) found.push(...diagnoseRedis(server));
  if (nodes !== undefined) found.push(...diagnoseChallengeNodes(nodes));
  const idsOf = (name: Held) => servers.filter(({ holds }) => holds.includes(name)).map(({ runId }) => runId);
  const isOne = !areTwo || idsOf('sessions').some((id) => idsOf('challenges').includes(id));
  if (servers.length > 0 && isOne) {
    found.push(
      warning(
        'one_store',
        'Sessions and challenges share one Redis: a flood of challenges can fill its memory.',
        'Use a separate instance for challenges: CAPTCHA_CACHE_STORE.',
      ),
    );
  }
  const isGood = found.every(({ severity }) => severity === 'good');
  return isGood ? [...found, good('stores', 'The stores respond and are set up to keep their data.')] : found;
}

/** Gives a store time to connect and to respond; undefined if it does. */
async function askStore(variable: string, store: Store): Promise<AwayStore | undefined> {
  const watch = watchStore(store, { variable, holds: [], log: { info() {}, warn() {} } });
  try {
    await waitForStore(store, CONNECT_MS);
    await store.timeMs();
    return undefined;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return { variable, reason: watch.problem };
    throw error;
  } finally {
    await watch.stop();
  }
}
