// Looks at everything that only the service's own environment opens: configuration, stores, users.

import { existsSync } from 'node:fs';
import { readSessionConfig, type SessionConfig } from '@tollgate/session-service/config.js';
import { openConfiguredDirectory } from '@tollgate/session-service/directory/configured-directory.js';
import { parseUsersUrl } from '@tollgate/session-service/directory/users-url.js';
import { challengeServiceStatus } from '@tollgate/shared/challenges/challenge-service-watch.js';
import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import { isLoopbackHost } from '@tollgate/shared/config/hosts.js';
import { createEnvelope } from '@tollgate/shared/crypto/envelope.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { openConfiguredStore } from '@tollgate/shared/store/configured-store.js';
import { openKeyRecord } from '@tollgate/shared/store/key-record.js';
import { closeStore, type Store } from '@tollgate/shared/store/open-store.js';
import { parseStoreUrl } from '@tollgate/shared/store/store-url.js';
import type { ConfigurationFacts } from './inside/configuration.js';
import type { Counters } from './inside/counted-address.js';
import { answers, redisFacts } from './inside/redis-facts.js';
import type { StoreFacts } from './inside/stores.js';
import { missingFileFacts, userFacts } from './inside/user-facts.js';
import type { UserFacts } from './inside/users.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const SECRETS = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY'] as const;

/** Whether the variables of the session service seem to be here. */
export function isServiceEnvironment(env: Environment): boolean {
  return SECRETS.some((name) => (env[name] ?? '') !== '');
}

/** What the run through the public address has given. */
export interface Seen {
  readonly publicUrl: string;
  /** An access token of the running service. */
  readonly accessToken: string | undefined;
  /** The account that signs in. */
  readonly email: string | undefined;
}

/** What there is to be known with the environment; stores and users are undefined when they cannot be opened. */
export interface EnvironmentLook {
  readonly config: SessionConfig | undefined;
  readonly configuration: ConfigurationFacts;
  readonly stores: StoreFacts | undefined;
  readonly users: UserFacts | undefined;
  /** The counters of challenges, while the look is open. */
  readonly counters: Counters | undefined;
  close(): Promise<void>;
}

/**
 * Opens what the environment names, and makes nothing that is not there.
 * @param root folder that relative paths start from
 */
export async function lookAtEnvironment(
  env: Environment,
  root: string,
  seen: Seen,
): Promise<EnvironmentLook> {
  const mistakes: string[] = [];
  const config = attempt(mistakes, () => readSessionConfig(env));
  const opened = config === undefined ? [] : openStores(config, root, mistakes);
  const stores = config === undefined ? undefined : await storeFacts(opened, config);
  const users = config === undefined ? undefined : await lookAtUsers(config, root, seen.email, mistakes);
  const challenges = opened.at(-1)?.store;
  const isAway = stores === undefined || stores.away.length > 0 || challenges === undefined;
  return {
    config,
    configuration: configurationFacts(env, config, mistakes, seen),
    stores,
    users,
    counters:
      isAway || config === undefined
        ? undefined
        : {
            store: challenges,
            prefix: config.captcha.cache.prefix,
            ring: openKeyRing(config.values.CHALLENGE_SECRET),
          },
    close: async () => {
      for (const store of new Set(opened.map(({ store }) => store))) if (store) await closeStore(store);
    },
  };
}

interface Opened {
  readonly variable: string;
  /** Undefined when it is a file that is not there. */
  readonly store: Store | undefined;
}

function openStores(config: SessionConfig, root: string, mistakes: string[]): Opened[] {
  const open = (variable: string, url: string): Opened => {
    const address = parseStoreUrl(url, root);
    const isMissing = address.kind === 'embedded' && !existsSync(address.path);
    const store = isMissing ? undefined : attempt(mistakes, () => openConfiguredStore(variable, url, root));
    return { variable, store };
  };
  const sessions = open('STORE_URL', config.storeUrl);
  if (config.challengeStoreUrl === config.storeUrl) return [sessions];
  return [sessions, open('CAPTCHA_CACHE_STORE', config.challengeStoreUrl)];
}

async function storeFacts(opened: readonly Opened[], config: SessionConfig): Promise<StoreFacts> {
  const away: string[] = [];
  const servers = [];
  for (const { variable, store } of opened) {
    if (store === undefined || !(await answers(store))) away.push(variable);
    else if (store.kind === 'redis') servers.push(await redisFacts(variable, store));
  }
  const challenges = opened.at(-1);
  const isAway = challenges?.store === undefined || away.includes(challenges.variable);
  return {
    servers,
    away,
    areTwo: config.challengeStoreUrl !== config.storeUrl,
    challenges: isAway ? undefined : await challengeNodes(challenges.variable, challenges.store, config),
  };
}

async function challengeNodes(variable: string, store: Store, { values }: SessionConfig) {
  const ids = openKeyRing(values.CHALLENGE_SECRET).all.map(({ id }) => id);
  const reported = await openKeyRecord(store).read();
  // The services have their own finding; what is left are applications.
  const applications = reported.nodes.filter(
    (node) => !node.makes && node.ids.CHALLENGE_SECRET !== undefined,
  );
  const strangers = applications.filter(
    ({ ids: theirs }) => !theirs.CHALLENGE_SECRET?.includes(ids[0] ?? ''),
  );
  return { variable, service: challengeServiceStatus(reported, ids), strangers: strangers.length };
}

async function lookAtUsers(
  config: SessionConfig,
  root: string,
  email: string | undefined,
  mistakes: string[],
) {
  const place = parseUsersUrl(config.usersUrl, root);
  if (place.kind === 'embedded' && !existsSync(place.path)) return missingFileFacts(place.path);
  try {
    const directory = await openConfiguredDirectory(config.usersUrl, root, config.userStatements);
    try {
      return await userFacts(directory, email);
    } finally {
      await directory.close();
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    mistakes.push(...error.lines);
    return undefined;
  }
}

function configurationFacts(
  env: Environment,
  config: SessionConfig | undefined,
  mistakes: readonly string[],
  { publicUrl, accessToken }: Seen,
): ConfigurationFacts {
  const values = config?.values;
  const urls = {
    STORE_URL: config?.storeUrl,
    CAPTCHA_CACHE_STORE: values?.CAPTCHA_CACHE_STORE,
    USERS_URL: config?.usersUrl,
  };
  const embedded = Object.entries(urls).filter(([, url]) => url?.startsWith('file:'));
  return {
    mistakes,
    publicUrl,
    configuredUrl: values?.PUBLIC_URL,
    secrets: Object.fromEntries([...SECRETS, 'CHALLENGE_SECRET'].map((name) => [name, env[name]])),
    embedded: embedded.map(([name]) => name),
    isProduction: values?.NODE_ENV === 'production',
    isLocal: isLoopbackHost(new URL(publicUrl).hostname),
    opensToken:
      values === undefined || accessToken === undefined
        ? undefined
        : createEnvelope('access', openKeyRing(values.ENCRYPTION_KEY)).open(accessToken) !== null,
  };
}

function attempt<T>(mistakes: string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    mistakes.push(...error.lines);
    return undefined;
  }
}
