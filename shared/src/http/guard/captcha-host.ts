// The one plugin that a host application needs: opens the common store and makes the guards of its routes work.

import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { ChallengeObserver } from '../../challenges/challenge-observer.js';
import { watchChallengeService } from '../../challenges/challenge-service-watch.js';
import { watchOptions } from '../../challenges/config-fingerprint.js';
import { openChallengeStore } from '../../challenges/store/open-challenge-store.js';
import { type ChallengeType, challengeTypeMistakes } from '../../challenges/types/challenge-type-registry.js';
import {
  captchaOptionsFrom,
  captchaVariables,
  checkCaptchaVariables,
  unknownCaptchaVariables,
} from '../../config/captcha-environment.js';
import { checkSecrets, checkStores } from '../../config/checks.js';
import { readEnvironment } from '../../config/environment.js';
import { cacheStoreUrlOf, cacheStoreVariableOf } from '../../config/fallbacks.js';
import { hostNameMistake } from '../../config/host-keys.js';
import {
  ChallengeModuleVariables,
  HttpVariables,
  SecretVariables,
  StoreVariables,
} from '../../config/variables.js';
import { openKeyRing } from '../../crypto/key-ring.js';
import { reportKeys } from '../../keys/key-report.js';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../schemas/captcha-options.js';
import { ConfigurationError } from '../../schemas/configuration-error.js';
import { openConfiguredStore } from '../../store/configured-store.js';
import { closeStore } from '../../store/open-store.js';
import { waitForStore } from '../../store/wait-for-store.js';
import { warnOfStore } from '../../store/warnings.js';
import { loadChallengeModule } from './challenge-module.js';
import guard from './guard.js';

/** What a host application tells the plugin. */
export interface ApplicationOptions {
  /** Names this application: its account keys meet those of no other host. */
  readonly host: string;
  /**
   * Variables as the challenge service has them: `CHALLENGE_SECRET`, `STORE_URL` or `CAPTCHA_CACHE_STORE` (one of them
   * is required), and the same `CAPTCHA_*`; usually `process.env`.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The options in code, in place of the `CAPTCHA_*` variables. */
  readonly options?: CaptchaOptionsInput;
  /** Folder that relative paths of `file:` and `CAPTCHA_MODULE` start from; the working folder by default. */
  readonly root?: string;
  /** Kinds of challenge beside those of `CAPTCHA_MODULE`; of use here are those that judge their answers themselves. */
  readonly kinds?: readonly ChallengeType[];
  /** Hears what becomes of each submission, for figures. */
  readonly observer?: ChallengeObserver;
}

const CONNECT_MS = 2000;

const HostEnvironment = Type.Object({
  CHALLENGE_SECRET: SecretVariables.CHALLENGE_SECRET,
  ...StoreVariables,
  NODE_ENV: HttpVariables.NODE_ENV,
  ...ChallengeModuleVariables,
  ...captchaVariables,
});

async function captchaHost(app: FastifyInstance, settings: ApplicationOptions): Promise<void> {
  const { host, environment, root = '.' } = settings;
  const values = readEnvironment(HostEnvironment, environment, (found) => [
    ...[hostNameMistake(host)].flatMap((mistake) => (mistake === null ? [] : [`the host ${mistake}`])),
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
  // The same kinds may come from both.
  const kinds = [...new Set([...(settings.kinds ?? []), ...module.kinds])];
  const mistakes = challengeTypeMistakes(kinds);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);

  const strangers = unknownCaptchaVariables(environment);
  // An application may have such variables of its own, so they do not stop it.
  if (strangers.length > 0) app.log.warn({ mistakes: strangers }, 'variables are ignored');

  const store = openConfiguredStore(cacheStoreVariableOf(values), cacheStoreUrlOf(values), root);
  warnOfStore(store, app.log);
  const optionsWatch = watchOptions(store, options, app.log);
  const ring = openKeyRing(values.CHALLENGE_SECRET);
  const keyReport = reportKeys(
    store,
    { makes: false, ids: { CHALLENGE_SECRET: ring.all.map(({ id }) => id) } },
    app.log,
  );
  const serviceWatch = watchChallengeService(store, ring, app.log);
  app.addHook('onClose', async () => {
    await optionsWatch.stop();
    await serviceWatch.stop();
    await keyReport.stop();
    await closeStore(store);
  });
  // Commands before the connection are refused; a store that is away does not keep the application from starting.
  await waitForStore(store, CONNECT_MS);
  await app.register(guard, {
    store: openChallengeStore(store, options.cache.prefix),
    ring,
    options,
    host,
    kinds,
    observer: settings.observer,
  });
}

/** An application never has a store of its own: nothing would issue challenges on it. */
function checkNamedStore(values: Parameters<typeof checkStores>[0]): string[] {
  if (values.STORE_URL !== undefined || values.CAPTCHA_CACHE_STORE !== undefined) {
    return checkStores(values, ['CAPTCHA_CACHE_STORE']);
  }
  return [
    'STORE_URL is missing: it must name the store of the challenge service, such as redis://localhost:6379 or file:/srv/tollgate/data/tollgate.mdb; so may CAPTCHA_CACHE_STORE',
  ];
}

/**
 * Await it before adding routes: `config.guards` of a route then takes `captcha` and `pow()`, and `app.captcha` is the
 * host object.
 *
 * @throws ConfigurationError with a line per mistake
 */
export default fp(captchaHost, { name: 'tollgate-captcha-host', fastify: '5.x' });
