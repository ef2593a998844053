// Checks that the stores answer and keep what they are given.

import { existsSync } from 'node:fs';
import type { SessionConfig } from '@tollgate/session-service/config.js';
import { openConfiguredStore, type Store, waitForStore } from '@tollgate/shared/store/open-store.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store.js';
import { parseStoreUrl } from '@tollgate/shared/store/store-url.js';
import { type Finding, good, problem, warning } from '../report.js';
import { type ChallengeNodes, diagnoseChallengeNodes, probeChallengeNodes } from './challenge-nodes.js';
import { diagnoseRedis, probeRedis, type RedisFacts } from './redis.js';

/** What the stores show. */
export interface StoreFacts {
  /** The Redis servers that answered, that of the sessions first. */
  readonly servers: readonly RedisFacts[];
  /** Variables whose store did not answer. */
  readonly away: readonly string[];
  /** Whether sessions and challenges have different addresses. */
  readonly areTwo: boolean;
  /** The nodes on the store of the challenges; undefined if it does not answer. */
  readonly challenges?: ChallengeNodes | undefined;
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
 * Opens the store of the sessions, then that of the challenges if it is another one. Creates no file.
 *
 * @param root folder that relative paths start from
 * @param collect runs its argument and keeps the mistakes of a ConfigurationError
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

/** Closes every store that was opened. */
export async function closeStores(opened: readonly OpenedStore[]): Promise<void> {
  for (const { store } of opened) if (store !== undefined) await store.close();
}

/** Asks each store for its clock, and each Redis what it is. */
export async function probeStores(
  opened: readonly OpenedStore[],
  { storeUrl, challengeStoreUrl, values }: SessionConfig,
): Promise<StoreFacts> {
  const away: string[] = [];
  const servers = [];
  for (const { variable, store } of opened) {
    if (store === undefined || !(await answers(store))) away.push(variable);
    else if (store.kind === 'redis') servers.push(await probeRedis(variable, store));
  }
  const last = opened.at(-1);
  return {
    servers,
    away,
    areTwo: challengeStoreUrl !== storeUrl,
    challenges:
      last?.store === undefined || away.includes(last.variable)
        ? undefined
        : await probeChallengeNodes(last.variable, last.store, values.CHALLENGE_SECRET),
  };
}

/**
 * Requires versions, eviction, persistence and clocks that sessions can rely on, one secret for all nodes, and that a
 * flood of challenges cannot fill the sessions' memory.
 */
export function diagnoseStores({ servers, away, areTwo, challenges: nodes }: StoreFacts): Finding[] {
  const found = away.map((variable) =>
    problem(
      'store_away',
      `The store of ${variable} does not answer from here.`,
      'Start it, or mend its address.',
    ),
  );
  for (const server of servers) found.push(...diagnoseRedis(server));
  if (nodes !== undefined) found.push(...diagnoseChallengeNodes(nodes));
  const [sessions, challenges] = servers;
  const isOne = !areTwo || (challenges !== undefined && sessions?.runId === challenges.runId);
  if (servers.length > 0 && isOne) {
    found.push(
      warning(
        'one_store',
        'Sessions and challenges are on one Redis: a flood of challenges can fill the memory of the sessions.',
        'Give the challenges an instance of their own: CAPTCHA_CACHE_STORE.',
      ),
    );
  }
  if (sessions !== undefined && away.length === 0 && !sessions.appends) {
    found.push(
      warning(
        'sessions_not_kept',
        'The Redis of the sessions keeps no append-only file: a restart loses sessions.',
        'Set appendonly yes.',
      ),
    );
  }
  return found.length > 0 ? found : [good('stores', 'The stores answer and keep what they are given.')];
}

/** Whether the store answers, after time to connect. */
async function answers(store: Store): Promise<boolean> {
  await waitForStore(store, CONNECT_MS);
  try {
    await store.timeMs();
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return false;
    throw error;
  }
}
