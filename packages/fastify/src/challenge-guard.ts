// Challenge guard for applications: opens the challenge store and enforces route guards.

import { Type } from '@sinclair/typebox';
import {
  type ChallengeObserver,
  type ChallengeType,
  challengeTypeMistakes,
  loadChallengeModule,
} from '@tollgate/shared/challenges';
import {
  applicationNameMistake,
  ChallengeModuleVariables,
  cacheStoreUrlOf,
  cacheStoreVariableOf,
  captchaOptionsFrom,
  captchaVariables,
  checkCaptchaVariables,
  checkSecrets,
  checkStores,
  HttpVariables,
  readEnvironment,
  SecretVariables,
  StoreVariables,
  unknownCaptchaVariables,
} from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { challengeGuard as guard, keepAllHeaders } from '@tollgate/shared/guard';
import {
  type CaptchaOptionsInput,
  ConfigurationError,
  resolveCaptchaOptions,
} from '@tollgate/shared/schemas';
import {
  openChallengeStore,
  openConfiguredStore,
  reportKeys,
  waitForStore,
  watchChallengeService,
  watchConfigFingerprint,
  watchStore,
} from '@tollgate/shared/store';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { pluginLog } from './plugin-log.js';

/** Plugin options. */
export interface ChallengeGuardOptions {
  /** Application name, 1 to 64 letters, digits, `_`, `.` or `-`: each application has its own failure counts. */
  readonly application: string;
  /**
   * Variables, usually `process.env`, with the same values as in the challenge service: `CHALLENGE_SECRET`, `STORE_URL` or
   * `CAPTCHA_CACHE_STORE` (one of them is required), `CAPTCHA_MODULE` and the other `CAPTCHA_*`.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Captcha options in code, in place of the `CAPTCHA_*` variables. */
  readonly options?: CaptchaOptionsInput;
  /** Base folder of relative paths in `file:` and `CAPTCHA_MODULE`; the working directory by default. */
  readonly root?: string;
  /** Challenge types in addition to those of `CAPTCHA_MODULE`; only those with a `verify` function are used. */
  readonly kinds?: readonly ChallengeType[];
  /** Called with the verdict of each submission, for metrics. */
  readonly observer?: ChallengeObserver;
}

const CONNECT_MS = 2000;

const GuardEnvironment = Type.Object({
  CHALLENGE_SECRET: SecretVariables.CHALLENGE_SECRET,
  ...StoreVariables,
  NODE_ENV: HttpVariables.NODE_ENV,
  ...ChallengeModuleVariables,
  ...captchaVariables,
});

async function challengeGuard(app: FastifyInstance, settings: ChallengeGuardOptions): Promise<void> {
  const { application, environment, root = '.' } = settings;
  const log = pluginLog(app);
  keepAllHeaders(app);
  const values = readEnvironment(GuardEnvironment, environment, (found) => [
    ...[applicationNameMistake(application)].flatMap((mistake) =>
      mistake === null ? [] : [`the application ${mistake}`],
    ),
    ...checkSecrets({ CHALLENGE_SECRET: found.CHALLENGE_SECRET }),
    ...checkNamedStore(found),
    ...checkCaptchaVariables(found),
  ]);
  const options =
    settings.options === undefined ? captchaOptionsFrom(values) : resolveCaptchaOptions(settings.options);
  if (options.test_mode && values.NODE_ENV === 'production') {
    throw new ConfigurationError(['CAPTCHA_TEST_MODE must be false with NODE_ENV=production']);
  }
  const module = await loadChallengeModule(values.CAPTCHA_MODULE, root);
  // Both may name the same type.
  const kinds = [...new Set([...(settings.kinds ?? []), ...module.kinds])];
  const mistakes = challengeTypeMistakes(kinds);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);

  const unknown = unknownCaptchaVariables(environment);
  // The application may use such variables itself, so they are no error.
  if (unknown.length > 0) log.warn({ mistakes: unknown }, 'variables are ignored');

  const variable = cacheStoreVariableOf(values);
  const store = openConfiguredStore(variable, cacheStoreUrlOf(values), root);
  const storeWatch = watchStore(store, { variable, holds: ['challenges'], log });
  const optionsWatch = watchConfigFingerprint(store, options, log);
  const ring = openKeyRing(values.CHALLENGE_SECRET);
  const keyReport = reportKeys(
    store,
    { makes: false, ids: { CHALLENGE_SECRET: ring.all.map(({ id }) => id) } },
    log,
  );
  const serviceWatch = watchChallengeService(store, ring, log);
  app.addHook('onClose', async () => {
    await optionsWatch.stop();
    await storeWatch.stop();
    await serviceWatch.stop();
    await keyReport.stop();
    await store.close();
  });
  // The store rejects commands until it is connected; the application starts without a reachable store.
  await waitForStore(store, CONNECT_MS);
  await app.register(guard, {
    store: openChallengeStore(store, options.cache.prefix),
    ring,
    options,
    application,
    kinds,
    observer: settings.observer,
  });
}

/** Requires a store: no service would issue challenges into a private one. */
function checkNamedStore(values: Parameters<typeof checkStores>[0]): string[] {
  if (values.STORE_URL !== undefined || values.CAPTCHA_CACHE_STORE !== undefined) {
    return checkStores(values, ['CAPTCHA_CACHE_STORE']);
  }
  return [
    'STORE_URL is missing: it must name the store of the challenge service, such as redis://localhost:6379 or file:/srv/tollgate/data/tollgate.db; so may CAPTCHA_CACHE_STORE',
  ];
}

/**
 * Enforces `config.guards` of routes, and decorates the server with `captcha`, which verifies submissions outside guarded
 * routes, and requests with `countAttempt`. Await it before you add routes. Opens the store and closes it with the server.
 * Responds 422 with a `ChallengeRefusal` body to a rejected submission, and 503 `store_unavailable` without a store. Sets
 * `maxHeadersCount` of the HTTP server to 0, so that no number of headers hides `X-Forwarded-For`.
 * @throws ConfigurationError with a line per mistake in the options and variables
 */
export default fp(challengeGuard, { name: 'tollgate-challenge-guard', fastify: '5.x' });
