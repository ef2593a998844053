// Checks that require the session service's environment, in order.

import { Type } from '@sinclair/typebox';
import { readSessionConfig, type SessionConfig } from '@tollgate/session-service/config.js';
import { ChallengeListenVariables, ConfigurationError, readEnvironment } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { StoreUnavailableError } from '@tollgate/shared/store';
import type { OutsideResult } from './examine-outside.js';
import { configurationFacts, diagnoseConfiguration } from './inside/configuration.js';
import { type CountedAddress, probeCountedAddress } from './inside/counted-address.js';
import { diagnoseFiles, probeFiles } from './inside/files.js';
import { diagnoseHealthChecks, probeHealthChecks } from './inside/health-checks.js';
import { diagnoseOtherAccounts, probeOtherAccounts } from './inside/other-accounts.js';
import { diagnoseProcesses, type ProcessFacts, probeProcesses } from './inside/processes.js';
import { diagnoseReadiness, probeReadiness } from './inside/readiness.js';
import { closeStores, diagnoseStores, type OpenedStore, openStores, probeStores } from './inside/stores.js';
import { diagnoseUsers, probeUsers } from './inside/users.js';
import type { PublicClient } from './public-client.js';
import type { Finding } from './report.js';

/** Inputs of the checks. */
export interface InsideOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base folder of relative paths in the environment. */
  readonly root: string;
  /** The account to check where users cannot be listed. */
  readonly email: string | undefined;
}

interface InsideResult {
  readonly findings: readonly Finding[];
  readonly skipped: readonly string[];
  /** The store's count for a request of this machine; undefined if it was not required or not read. */
  readonly counted: CountedAddress | undefined;
  /** `TRUST_PROXY`; undefined if the configuration cannot be read. */
  readonly trustProxy: readonly string[] | undefined;
}

/** Runs the checks. It creates no file, and closes its resources. */
export async function examineInside(
  client: PublicClient,
  { env, root, email }: InsideOptions,
  outside: OutsideResult,
): Promise<InsideResult> {
  const mistakes: string[] = [];
  const collect = <T>(work: () => T) => collectMistakes(mistakes, work);
  const seen = { publicUrl: client.publicUrl, accessToken: outside.accessToken };
  const config = await collect(() => readSessionConfig(env));
  if (config === undefined) {
    return {
      findings: diagnoseConfiguration(configurationFacts(env, undefined, mistakes, seen)),
      skipped: ['Stores and users: correct the environment first.'],
      counted: undefined,
      trustProxy: undefined,
    };
  }
  const opened = await openStores(config, root, collect);
  try {
    const stores = await probeStores(opened, config);
    const files = await probeFiles(opened, config, root);
    const processes = stores.away.length === 0 ? await compareProcesses(config, opened) : undefined;
    const users = await collect(() => probeUsers(config, root, email));
    const { ADMIN_BIND } = config.values;
    const ports = adminPorts(config, env);
    // Before the doctor's own health requests.
    const healthChecks = await probeHealthChecks(ADMIN_BIND, ports);
    const otherAccounts = await probeOtherAccounts(ADMIN_BIND, config.values.SESSION_ADMIN_PORT);
    const { readiness, unreachable } = await probeReadiness(ADMIN_BIND, ports);
    const counted =
      stores.away.length === 0 ? await countRequest(client, config, opened, outside) : undefined;
    const ofProcesses = processes === undefined ? [] : diagnoseProcesses(processes);
    const isMixed = ofProcesses.some(({ check }) => check === 'process_secret_differs');
    // A token of a process with other secrets proves nothing about the environment.
    const accessToken = isMixed ? undefined : seen.accessToken;
    const configuration = configurationFacts(env, config, mistakes, { ...seen, accessToken });
    return {
      findings: [
        ...diagnoseConfiguration(configuration),
        ...diagnoseStores(stores),
        ...ofProcesses,
        ...diagnoseFiles(files),
        ...(users === undefined ? [] : diagnoseUsers(users)),
        ...diagnoseOtherAccounts(otherAccounts),
        ...diagnoseReadiness(readiness),
        ...diagnoseHealthChecks(healthChecks, configuration.isLocal),
      ],
      skipped: unreachable.map(
        (service) =>
          `/health/ready of ${service}: no response at ${ADMIN_BIND}:${ports[service]}; set ADMIN_BIND and the admin port as the service has them.`,
      ),
      counted,
      trustProxy: config.values.TRUST_PROXY ?? [],
    };
  } finally {
    await closeStores(opened);
  }
}

function adminPorts({ values }: SessionConfig, env: InsideOptions['env']): Record<string, number> {
  const { CHALLENGE_ADMIN_PORT } = readEnvironment(Type.Object(ChallengeListenVariables), env);
  return { 'session-service': values.SESSION_ADMIN_PORT, 'challenge-service': CHALLENGE_ADMIN_PORT };
}

async function compareProcesses(
  { values }: SessionConfig,
  opened: readonly OpenedStore[],
): Promise<ProcessFacts | undefined> {
  const stores = opened.flatMap(({ store }) => store ?? []);
  const secrets = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY', 'CHALLENGE_SECRET'] as const;
  const ownIds = Object.fromEntries(
    secrets.map((name) => [
      name,
      values[name] === undefined ? [] : openKeyRing(values[name]).all.map(({ id }) => id),
    ]),
  );
  const hasTrustProxy = (values.TRUST_PROXY ?? []).length > 0;
  return probeProcesses(stores, { ownIds, hasTrustProxy }).catch((error) => {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  });
}

/** Reads the store's counters only if the tags of several addresses were inconclusive. */
async function countRequest(
  client: PublicClient,
  { captcha, values }: SessionConfig,
  opened: readonly OpenedStore[],
  { tags, localAddress, route }: OutsideResult,
): Promise<CountedAddress | undefined> {
  const store = opened.at(-1)?.store;
  if (store === undefined || tags.apart.length > 1 || tags.plain.length === 0) return undefined;
  const counters = { store, prefix: captcha.cache.prefix, ring: openKeyRing(values.CHALLENGE_SECRET) };
  const issue = () => client.issueImage(route);
  return probeCountedAddress(client, counters, localAddress, values.TRUST_PROXY ?? [], issue);
}

/** Runs `work` and keeps the lines of a ConfigurationError; then the result is undefined. */
async function collectMistakes<T>(mistakes: string[], work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    mistakes.push(...error.lines);
    return undefined;
  }
}
