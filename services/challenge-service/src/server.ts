// Starts the challenge service: environment, configuration, parts, applications, listen, close with grace.

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openChallengeStore } from '@tollgate/shared/challenges/open-challenge-store.js';
import { watchOptions } from '@tollgate/shared/challenges/options-mark.js';
import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { runService, startOrExplain } from '@tollgate/shared/http/lifecycle.js';
import { createLogger } from '@tollgate/shared/http/logger.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { openConfiguredStore } from '@tollgate/shared/store/configured-store.js';
import { closeStore, storeTimeMs } from '@tollgate/shared/store/open-store.js';
import { startPruning } from '@tollgate/shared/store/pruning.js';
import { openRequestCounter } from '@tollgate/shared/store/request-counter.js';
import { warnOfStore } from '@tollgate/shared/store/warnings.js';
import { buildChallengeAdmin } from './admin.js';
import { buildApp } from './app.js';
import { readChallengeConfig } from './config.js';
import { type ImagePool, openImagePool } from './image/pool.js';

const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Images that may wait to be drawn; at 2,000 a second and core they wait about 50 ms. */
const MAX_IMAGE_QUEUE = 100;

async function main(): Promise<void> {
  const config = readChallengeConfig(process.env);
  const { values, captcha } = config;
  const logger = createLogger({ name: 'challenge-service', level: values.LOG_LEVEL });

  const images = await openImages(captcha.driver);
  if (images === null) logger.warn('no image library loads: images cannot be drawn');
  else if (images.fallback) logger.warn({ driver: images.driver }, 'the second image library draws');

  const store = openConfiguredStore('CAPTCHA_CACHE_STORE', config.storeUrl, PROJECT_ROOT);
  const pruning = startPruning(store, logger);
  const ring = openKeyRing(values.CHALLENGE_SECRET);
  const state = { stopping: false };
  let otherDriver: string | undefined;
  const onOtherDriver = (driver: string) => {
    otherDriver = driver;
  };
  const checks = {
    store: () => storeTimeMs(store),
    images: async () => {
      if (images === null) throw new Error('no image library loads');
      if (otherDriver !== undefined) throw new Error(`images of ${otherDriver} cannot be drawn here`);
    },
  };
  warnOfStore(store, logger);
  const optionsWatch = watchOptions(store, captcha, logger);
  const challenges = openChallengeStore(store, captcha.cache.prefix);

  await runService({
    logger,
    publicApp: await buildApp(config, {
      challenges,
      countRequest: openRequestCounter(store, captcha.cache.prefix),
      ring,
      images,
      onOtherDriver,
      redis: { challenges: store },
      logger,
    }),
    adminApp: await buildChallengeAdmin(
      config,
      { challenges, ring, logger },
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
    closeParts: async () => {
      pruning.stop();
      optionsWatch.stop();
      await images?.close();
      await closeStore(store);
    },
  });
}

/** @throws ConfigurationError when the library that must draw does not load */
async function openImages(driver: CaptchaOptions['driver']): Promise<ImagePool | null> {
  const size = { threads: Math.max(1, availableParallelism() - 1), maxQueue: MAX_IMAGE_QUEUE };
  if (driver === undefined) return openImagePool(size);
  try {
    return await openImagePool({ ...size, driver });
  } catch {
    throw new ConfigurationError([`CAPTCHA_DRIVER names ${driver}, which does not load`]);
  }
}

await startOrExplain(main);
