// The challenge service as a whole: configuration, dependencies, applications, listen, close.

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { openAuditSink, openAuditTrail, writeStartEvents } from '@tollgate/shared/audit';
import { challengeLifetimes, readyKey } from '@tollgate/shared/challenges';
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
  counted,
  openChallengeStore,
  openConfiguredStore,
  openDataFolder,
  openRequestCounter,
  reportKeys,
  startPruning,
  waitForStores,
  watchConfigFingerprint,
  watchLoad,
  watchStore,
} from '@tollgate/shared/store';
import { buildChallengeAdmin } from './admin.js';
import { buildApp } from './app.js';
import { readChallengeConfig } from './config.js';
import { loadExtensions } from './extensions.js';
import { loadImageSetup, openImages } from './image-setup.js';
import { createChallengeMetrics } from './plugins/challenge-metrics.js';
import { PROJECT_ROOT } from './project-root.js';

/** Images that may wait to be drawn. At 2,000 images a second on one core the last one waits about 50 ms. */
const MAX_IMAGE_QUEUE = 100;

/** How long readiness reports an image that this node could not draw, in milliseconds after the challenge's expiry. */
const UNDRAWN_MS = 600_000;

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
export async function openChallengeService(
  env: Readonly<Record<string, string | undefined>>,
  { output, run }: ServiceRuntime,
): Promise<RunningService> {
  const loaded = await loadExtensions(env);
  const config = readChallengeConfig(withChallengeSecret(env, PROJECT_ROOT), loaded);
  const { values, captcha } = config;
  if (values.STORE_URL === undefined && values.CAPTCHA_CACHE_STORE === undefined) {
    openDataFolder(resolve(PROJECT_ROOT, values.DATA_DIR));
  }
  const sink = openAuditSink({
    path: values.AUDIT_LOG,
    days: values.AUDIT_LOG_DAYS,
    root: PROJECT_ROOT,
    output,
  });
  const logger = createLogger({ name: 'challenge-service', level: values.LOG_LEVEL }, output);
  for (const line of config.warnings) logger.warn(line);
  const metrics = createChallengeMetrics({ process: true });
  const trail = openAuditTrail({ service: 'challenge-service', sink, log: logger, counters: metrics.audit });

  const { presets, kinds, renderer } = await loadImageSetup(config, PROJECT_ROOT);
  const extensions = loaded.flatMap((extension) => extension.open(config, PROJECT_ROOT) ?? []);
  const threads = Math.max(1, availableParallelism() - 1);
  const images = await openImages(renderer, captcha.driver, { threads, maxQueue: MAX_IMAGE_QUEUE });
  if (images === null) logger.warn('no image library loads: images cannot be drawn');
  else if (images.fallback)
    logger.warn({ driver: images.library }, 'the first image library did not load; the second one draws');

  const store = openConfiguredStore(config.storeVariable, config.storeUrl, PROJECT_ROOT);
  store.observe(metrics.store);
  const storeWatch = watchStore(store, {
    variable: config.storeVariable,
    holds: ['challenges'],
    log: logger,
  });
  addClockOffsets(metrics.registry, { challenges: storeWatch });
  const pruning = startPruning(store, logger);
  const ring = openKeyRing(values.CHALLENGE_SECRET);
  const ids = { CHALLENGE_SECRET: ring.all.map(({ id }) => id) };
  const lifetimes = challengeLifetimes(
    captcha,
    extensions.map((extension) => extension.lifetimes),
  );
  const keys = { makes: true, ids, lifetimes: { ...lifetimes } };
  const keyReport = reportKeys(store, keys, logger, { trustProxy: values.TRUST_PROXY });
  const state: HealthState = { stopping: false };
  const undrawn = new Map<string, number>();
  const rememberUndrawn = (what: string) => undrawn.set(what, Date.now());
  const checks = {
    store: () => storeWatch.check(readyKey(captcha.cache.prefix)),
    images: async () => {
      if (images === null) throw new Error('no image library loads');
      // Reported for the lifetime of such a challenge, and long enough afterwards to be noticed.
      const sinceMs = Date.now() - captcha.cache.expire * 1000 - UNDRAWN_MS;
      for (const [what, atMs] of undrawn) {
        if (atMs >= sinceMs) throw new Error(`images of ${what} cannot be drawn here`);
        undrawn.delete(what);
      }
    },
  };
  const optionsWatch = watchConfigFingerprint(store, captcha, logger);
  const load = watchLoad(store, {
    options: captcha,
    log: logger,
    onByHand: (raised) => trail.write({ event: 'price_raised', ...(raised ?? { bits: 0, minutes: 0 }) }),
  });
  metrics.load(load);
  const challenges = counted(openChallengeStore(store, captcha.cache.prefix), load);
  const drawings = load.queue('drawings', { running: threads, waiting: MAX_IMAGE_QUEUE });
  const openChallenges = (name: string) =>
    counted(openChallengeStore(store, captcha.cache.prefix, name), load);

  const service = await run({
    logger,
    publicApp: await buildApp(config, {
      challenges,
      countRequest: openRequestCounter(store, captcha.cache.prefix),
      ring,
      raisedBits: load.raisedBits,
      images: images === null ? null : metrics.measured(images, threads, drawings),
      presets,
      onOtherDriver: rememberUndrawn,
      onOtherPreset: (name) => rememberUndrawn(`the preset ${name} of another node`),
      kinds,
      extensions: { list: extensions, openChallenges },
      redis: { challenges: store },
      metrics,
      trail,
      logger,
      state,
    }),
    adminApp: await buildChallengeAdmin(
      config,
      { challenges, ring, kinds, logger, metrics, trail },
      { checks, state, dispensable: ['images'] },
    ),
    publicAt: {
      host: values.BIND,
      port: values.CHALLENGE_PORT,
      hostVariable: 'BIND',
      portVariable: 'CHALLENGE_PORT',
    },
    adminAt: {
      host: values.ADMIN_BIND,
      port: values.CHALLENGE_ADMIN_PORT,
      hostVariable: 'ADMIN_BIND',
      portVariable: 'CHALLENGE_ADMIN_PORT',
    },
    drainSeconds: values.DRAIN_SECONDS,
    state,
    opened: () => waitForStores([store]),
    closeDependencies: async () => {
      await load.stop();
      await keyReport.stop();
      pruning.stop();
      await optionsWatch.stop();
      await storeWatch.stop();
      await images?.close();
      await store.close();
      trail.close();
    },
  });
  writeStartEvents(trail, {
    keys: ids,
    options: configFingerprint(captcha),
    isTestMode: captcha.test_mode,
  });
  return service;
}
