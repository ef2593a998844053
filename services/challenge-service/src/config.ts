// Reads the configuration of the challenge service and of its commands from the environment.

import { type TObject, Type } from '@sinclair/typebox';
import {
  applicationKeysFrom,
  auditDaysWarning,
  CHALLENGE_PORT,
  ChallengeLimitVariables,
  ChallengeListenVariables,
  ChallengeModuleVariables,
  cacheStoreUrlOf,
  cacheStoreVariableOf,
  captchaOptionsFrom,
  captchaVariables,
  checkAddressRanges,
  checkApplicationKeys,
  checkCaptchaVariables,
  checkHttp,
  checkSecrets,
  checkStores,
  checkTestMode,
  corsOriginOf,
  HostApiVariables,
  HttpVariables,
  isThisMachineOnly,
  PresetVariables,
  plainHttpWarning,
  RangeVariables,
  readEnvironment,
  SecretVariables,
  SessionLimitVariables,
  StoreVariables,
  unknownCaptchaVariables,
  unknownVariables,
  weakSecrets,
  withPortAndAddress,
} from '@tollgate/shared/config';
import type { Extension } from './extension.js';
import { knownExtensions } from './extensions.js';

/** The environment of the challenge service without extensions. */
export const ChallengeEnvironment = Type.Object({
  CHALLENGE_SECRET: SecretVariables.CHALLENGE_SECRET,
  ...StoreVariables,
  ...HttpVariables,
  ...ChallengeListenVariables,
  ...ChallengeLimitVariables,
  ...RangeVariables,
  ...HostApiVariables,
  ...ChallengeModuleVariables,
  ...PresetVariables,
  ...captchaVariables,
});

/** The configuration of the challenge service. */
export type ChallengeConfig = ReturnType<typeof readChallengeConfig>;

/** Prefixes of its variables only, and variables of the session service with such a prefix. */
const NAMES = {
  prefixes: ['HOST_API_', 'RATE_LIMIT_', ...knownExtensions.flatMap(({ prefix }) => prefix ?? [])],
  known: Object.keys(SessionLimitVariables),
};

/** The names of all its variables, whether or not their extensions are loaded. */
const KnownVariables = Type.Object({
  ...ChallengeEnvironment.properties,
  ...Object.fromEntries(
    knownExtensions.flatMap(({ variables }) => variables.map((name) => [name, Type.Unknown()])),
  ),
});

/** Returns the environment of the challenge service with these extensions. */
export function environmentWith(extensions: readonly Pick<Extension, 'variables'>[]): TObject {
  const variables = extensions.map((extension) => extension.variables);
  return Type.Object(Object.assign({}, ChallengeEnvironment.properties, ...variables));
}

/**
 * Reads the configuration.
 * @param extensions the loaded extensions; the values include their variables
 * @throws ConfigurationError with a line for each mistake
 */
export function readChallengeConfig(
  given: Readonly<Record<string, string | undefined>>,
  extensions: readonly Extension[] = [],
) {
  const env = withPortAndAddress(given, 'CHALLENGE_PORT', CHALLENGE_PORT);
  const allowWeak = isThisMachineOnly(env);
  const environment = environmentWith(extensions) as typeof ChallengeEnvironment;
  const values = readEnvironment(environment, env, (found) => [
    ...checkSecrets({ CHALLENGE_SECRET: found.CHALLENGE_SECRET }, { allowWeak }),
    ...checkHttp(found),
    ...checkAddressRanges(found.RATE_LIMIT_RANGES),
    ...checkStores(found, ['CAPTCHA_CACHE_STORE']),
    ...checkTestMode(found),
    ...checkApplicationKeys(found, found.CHALLENGE_SECRET?.split(',')),
    ...checkCaptchaVariables(found),
    ...unknownCaptchaVariables(env),
  ]);
  return {
    values,
    /** Log lines about settings that work, but probably not as intended. */
    warnings: [
      ...(allowWeak ? weakSecrets({ CHALLENGE_SECRET: values.CHALLENGE_SECRET }) : []),
      ...plainHttpWarning(values),
      ...auditDaysWarning(values),
      ...unknownVariables(given, KnownVariables, NAMES),
    ],
    storeUrl: cacheStoreUrlOf(values),
    storeVariable: cacheStoreVariableOf(values),
    corsOrigin: corsOriginOf(values),
    hostKeys: applicationKeysFrom(values),
    captcha: captchaOptionsFrom(values),
  };
}

/**
 * Reads only the address of the challenge store, for commands that need nothing else.
 * @throws ConfigurationError with a line for each mistake
 */
export function readStoreConfig(env: Readonly<Record<string, string | undefined>>) {
  const values = readEnvironment(Type.Object(StoreVariables), env);
  return { storeUrl: cacheStoreUrlOf(values), storeVariable: cacheStoreVariableOf(values) };
}

/**
 * Reads the settings of `captcha passes`: the address of the challenge store and its key prefix.
 * @throws ConfigurationError with a line for each mistake
 */
export function readPassesConfig(env: Readonly<Record<string, string | undefined>>) {
  const { CAPTCHA_CACHE_PREFIX } = captchaVariables;
  const values = readEnvironment(Type.Object({ ...StoreVariables, CAPTCHA_CACHE_PREFIX }), env);
  return {
    storeUrl: cacheStoreUrlOf(values),
    storeVariable: cacheStoreVariableOf(values),
    prefix: values.CAPTCHA_CACHE_PREFIX,
  };
}

const LoadEnvironment = Type.Object({ ...StoreVariables, ...captchaVariables });

/**
 * Reads the settings of `captcha attack`, which include no secret.
 * @throws ConfigurationError with a line for each mistake
 */
export function readLoadConfig(env: Readonly<Record<string, string | undefined>>) {
  const values = readEnvironment(LoadEnvironment, env, (found) => [
    ...checkCaptchaVariables(found),
    ...unknownCaptchaVariables(env),
  ]);
  return {
    storeUrl: cacheStoreUrlOf(values),
    storeVariable: cacheStoreVariableOf(values),
    captcha: captchaOptionsFrom(values),
  };
}

const PreviewEnvironment = Type.Object({
  ...StoreVariables,
  ...ChallengeModuleVariables,
  ...PresetVariables,
  ...captchaVariables,
});

/**
 * Reads the settings of `captcha preview`, which include no secret.
 * @throws ConfigurationError with a line for each mistake
 */
export function readPreviewConfig(env: Readonly<Record<string, string | undefined>>) {
  const values = readEnvironment(PreviewEnvironment, env, (found) => [
    ...checkCaptchaVariables(found),
    ...unknownCaptchaVariables(env),
  ]);
  return {
    values,
    storeUrl: cacheStoreUrlOf(values),
    storeVariable: cacheStoreVariableOf(values),
    captcha: captchaOptionsFrom(values),
  };
}
