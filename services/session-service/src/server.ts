// Starts the session service: environment, configuration, parts, applications, listen, close with grace.

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openChallengeStore } from '@tollgate/shared/challenges/open-challenge-store.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { buildAdminApp } from '@tollgate/shared/http/admin-app.js';
import { runService, startOrExplain } from '@tollgate/shared/http/lifecycle.js';
import { createLogger } from '@tollgate/shared/http/logger.js';
import { openConfiguredStore } from '@tollgate/shared/store/configured-store.js';
import { closeStore, storeTimeMs } from '@tollgate/shared/store/open-store.js';
import { startPruning } from '@tollgate/shared/store/pruning.js';
import { openRequestCounter } from '@tollgate/shared/store/request-counter.js';
import { warnOfStore } from '@tollgate/shared/store/warnings.js';
import { buildApp } from './app.js';
import { readSessionConfig } from './config.js';
import { openConfiguredDirectory } from './directory/configured-directory.js';
import { createHashingQueue } from './directory/hashing-queue.js';
import { createSignIn } from './directory/sign-in.js';
import { openSessionStore } from './stores/open-session-store.js';

const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Passwords that may wait to be checked, per running check. */
const WAITING_PER_CHECK = 32;

async function main(): Promise<void> {
  const config = readSessionConfig(process.env);
  const { values } = config;
  const logger = createLogger({ name: 'session-service', level: values.LOG_LEVEL });

  const store = openConfiguredStore('STORE_URL', config.storeUrl, PROJECT_ROOT);
  const challengeStore =
    config.challengeStoreUrl === config.storeUrl
      ? store
      : openConfiguredStore('CAPTCHA_CACHE_STORE', config.challengeStoreUrl, PROJECT_ROOT);
  const stores = new Set([store, challengeStore]);
  const prunings = [...stores].map((each) => startPruning(each, logger));
  for (const each of stores) warnOfStore(each, logger);

  const directory = openConfiguredDirectory(config.usersUrl, PROJECT_ROOT);
  // One core is left to everything else.
  const running = Math.max(1, availableParallelism() - 1);
  const queue = createHashingQueue({ running, waiting: running * WAITING_PER_CHECK });
  const signIn = createSignIn(directory, queue, (error) =>
    logger.warn({ err: error }, 'a password was not hashed again'),
  );

  const ring = openKeyRing(values.CHALLENGE_SECRET);
  const state = { stopping: false };
  const checks = {
    store: () => storeTimeMs(store),
    challenge_store: () => storeTimeMs(challengeStore),
    directory: () => directory.health(),
  };

  await runService({
    logger,
    publicApp: await buildApp(config, {
      sessions: openSessionStore(store),
      challenges: openChallengeStore(challengeStore, config.captcha.cache.prefix),
      countRequest: openRequestCounter(store, 'session'),
      directory,
      signIn,
      ring,
      tokenKeys: {
        accessSecrets: openKeyRing(values.ACCESS_SECRET),
        refreshSecrets: openKeyRing(values.REFRESH_SECRET),
        encryptionKeys: openKeyRing(values.ENCRYPTION_KEY),
      },
      redis: { sessions: store, challenges: challengeStore },
      logger,
    }),
    adminApp: await buildAdminApp({ logger, publicUrl: values.PUBLIC_URL, checks, state }),
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
    closeParts: async () => {
      for (const pruning of prunings) pruning.stop();
      await directory.close();
      for (const each of stores) await closeStore(each);
    },
  });
}

await startOrExplain(main);
