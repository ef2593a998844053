// The session service as a whole: configuration, dependencies, applications, listen, close.

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openAuditSink, openAuditTrail, writeStartEvents } from '@tollgate/shared/audit';
import { challengeLifetimes, loadChallengeModule, readyKey } from '@tollgate/shared/challenges';
import { withChallengeSecret } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import {
  addClockOffsets,
  createLogger,
  type HealthState,
  type LogOutput,
  type RunningService,
  type Service,
} from '@tollgate/shared/http';
import {
  configFingerprint,
  openConfiguredStore,
  openDataFolder,
  startPruning,
  waitForStores,
  watchConfigFingerprint,
  watchLoad,
} from '@tollgate/shared/store';
import { buildSessionAdmin } from './admin.js';
import { buildApp, type SessionDependencies } from './app.js';
import { readSessionConfig } from './config.js';
import { withAccounts, withCircuitBreaker } from './directory/directory.js';
import { withDirectoryCheck } from './directory/directory-check.js';
import { openConfiguredDirectory } from './directory/open-directory.js';
import type { KeyLifetimes } from './domain/key-roll-out.js';
import { createHashingQueue, createSignIn, hashingLimits } from './passwords/sign-in.js';
import { createSessionMetrics } from './plugins/session-metrics.js';
import { openStoreDependencies } from './store-dependencies.js';
import { watchStores } from './stores/watch-stores.js';
import { openTokenKeys, reportTokenKeys } from './token-setup.js';

const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Time limit for publishing the last revocations when the service stops, in milliseconds. */
const FLUSH_TIMEOUT_MS = 300;

/** Settings of the surrounding process. */
interface ServiceRuntime {
  /** Receives the log lines and, without `AUDIT_LOG`, the audit stream. */
  readonly output: LogOutput;
  /** Listens: with the process signals, or without them if other services share the process. */
  readonly run: (service: Service) => Promise<RunningService>;
}

/**
 * Opens everything and listens.
 * @param env the variables of the service
 * @throws ConfigurationError with its lines when a variable or an address is wrong
 */
export async function openSessionService(
  env: Readonly<Record<string, string | undefined>>,
  { output, run }: ServiceRuntime,
): Promise<RunningService> {
  const config = readSessionConfig(withChallengeSecret(env, PROJECT_ROOT));
  const { values } = config;
  if (values.STORE_URL === undefined || values.USERS_URL === undefined) {
    openDataFolder(resolve(PROJECT_ROOT, values.DATA_DIR));
  }
  const sink = openAuditSink({
    path: values.AUDIT_LOG,
    days: values.AUDIT_LOG_DAYS,
    root: PROJECT_ROOT,
    output,
  });
  const logger = createLogger({ name: 'session-service', level: values.LOG_LEVEL }, output);
  for (const line of config.warnings) logger.warn(line);

  const tokenKeys = openTokenKeys(config);
  const { kinds } = await loadChallengeModule(values.CAPTCHA_MODULE, PROJECT_ROOT);
  const opened = withCircuitBreaker(
    await openConfiguredDirectory(config.usersUrl, PROJECT_ROOT, config.userStatements, (reason) =>
      logger.warn({ variable: 'USERS_URL' }, `${reason}; logins get 503 until it does`),
    ),
  );
  const store = openConfiguredStore('STORE_URL', config.storeUrl, PROJECT_ROOT);
  const challengeStore =
    config.challengeStoreUrl === config.storeUrl
      ? store
      : openConfiguredStore('CAPTCHA_CACHE_STORE', config.challengeStoreUrl, PROJECT_ROOT);
  const stores = new Set([store, challengeStore]);
  const ring = openKeyRing(values.CHALLENGE_SECRET);
  // Start writing only after all configuration is validated.
  const prunings = [...stores].map((each) => startPruning(each, logger));
  const { maxAgeMs: keepMs, refreshTtlMs: refreshMs } = config.rules;
  const checked = withDirectoryCheck(opened, { store, ring, keepMs, refreshMs, log: logger });
  const optionsWatch = watchConfigFingerprint(challengeStore, config.captcha, logger);
  const challengeKey = readyKey(config.captcha.cache.prefix);
  const storesWatch = watchStores({ sessions: store, challenges: challengeStore }, challengeKey, logger);

  const limits = hashingLimits(availableParallelism(), config.poolThreads);
  const queue = createHashingQueue(limits);
  const load = watchLoad(challengeStore, { options: config.captcha, log: logger });
  const inStores = openStoreDependencies(config, { sessions: store, challenges: challengeStore }, logger);
  const { revocations, revoker } = inStores;
  const metrics = createSessionMetrics({ revocations, revoker, hashing: queue }, { process: true });
  challengeStore.observe(metrics.store('challenges'));
  // One store for both is that of the sessions.
  store.observe(metrics.store('sessions'));
  addClockOffsets(metrics.registry, storesWatch.watches);
  const trail = openAuditTrail({ service: 'session-service', sink, log: logger, counters: metrics.audit });
  const directory = withAccounts(checked, (uid) => {
    metrics.countOtherAccount();
    logger.warn({ uid }, 'the directory returned this user for another account, which is treated as unknown');
  });
  const signIn = createSignIn(
    directory,
    metrics.measured(queue, load.queue('passwords', limits)),
    (error) => logger.warn({ err: error }, 'the new hash of a password could not be saved'),
    {
      onUnreadableHash: (uid) => logger.warn({ uid }, 'the password hash of this user cannot be read'),
      onUnusableUser: ({ message, userIds }) =>
        logger.warn({ reason: message, uids: userIds }, 'nobody can log in to this account'),
    },
  );

  const lifetimes: KeyLifetimes = {
    access: values.ACCESS_TTL,
    refresh: values.REFRESH_TTL,
    ...challengeLifetimes(config.captcha),
  };
  const allKeys = { ...tokenKeys, challengeSecrets: ring };
  const reported = { trustProxy: values.TRUST_PROXY };
  const keyReport = reportTokenKeys(store, allKeys, lifetimes, logger, reported);
  const state: HealthState = { stopping: false };
  // Refreshes, logouts and the verification of tokens work without these two.
  const dispensable = ['challenge_store', 'directory'];
  const checks = { ...storesWatch.checks, directory: () => directory.health() };

  const deps: SessionDependencies = {
    ...inStores,
    kinds,
    directory,
    signIn,
    ring,
    tokenKeys: { ...tokenKeys, onIssued: metrics.countToken },
    metrics,
    trail,
    auditPath: values.AUDIT_LOG === undefined ? undefined : resolve(PROJECT_ROOT, values.AUDIT_LOG),
    logger,
    state,
  };

  const service = await run({
    logger,
    publicApp: await buildApp(config, deps),
    adminApp: await buildSessionAdmin(config, deps, { checks, state, dispensable }),
    publicAt: {
      host: values.BIND,
      port: values.SESSION_PORT,
      hostVariable: 'BIND',
      portVariable: 'SESSION_PORT',
    },
    adminAt: {
      host: values.ADMIN_BIND,
      port: values.SESSION_ADMIN_PORT,
      hostVariable: 'ADMIN_BIND',
      portVariable: 'SESSION_ADMIN_PORT',
    },
    drainSeconds: values.DRAIN_SECONDS,
    state,
    opened: () => waitForStores(stores),
    flush: () => revoker.flush(FLUSH_TIMEOUT_MS),
    closeDependencies: async () => {
      revoker.stop();
      await revocations.stop();
      for (const each of [keyReport, load]) await each.stop();
      for (const pruning of prunings) pruning.stop();
      await optionsWatch.stop();
      await directory.stop();
      await storesWatch.stop();
      await directory.close();
      for (const each of stores) await each.close();
      trail.close();
    },
  });
  writeStartEvents(trail, {
    keys: keyReport.ids,
    options: configFingerprint(config.captcha),
    isTestMode: config.captcha.test_mode,
  });
  return service;
}
