// Everything that the session service is told by its environment.

import { Type } from '@sinclair/typebox';
import {
  captchaOptionsFrom,
  captchaVariables,
  checkCaptchaVariables,
} from '@tollgate/shared/config/captcha-environment.js';
import { checkHttp, checkSecrets, checkStores, checkTestMode } from '@tollgate/shared/config/checks.js';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { cacheStoreUrlOf, corsOriginOf, storeUrlOf } from '@tollgate/shared/config/fallbacks.js';
import {
  HttpVariables,
  SecretVariables,
  SessionLimitVariables,
  SessionListenVariables,
  StoreVariables,
} from '@tollgate/shared/config/variables.js';

const seconds = (value: number, minimum: number, description: string) =>
  Type.Integer({ default: value, minimum, maximum: 31_536_000, description });

/** Where users are, how long tokens and sessions live, how the cookie looks. */
export const SessionVariables = {
  USERS_URL: Type.Optional(
    Type.String({
      secret: true,
      description: 'The user directory: `file:` and a path',
      shownDefault: '`file:` and `users.mdb` in `DATA_DIR`',
    }),
  ),
  COOKIE_SAMESITE: Type.Union([Type.Literal('strict'), Type.Literal('lax')], {
    default: 'strict',
    description: 'SameSite of the refresh cookie; `lax` only for sign-in flows that redirect across sites',
  }),
  COOKIE_PREFIX: Type.Optional(
    Type.Union([Type.Literal('__Secure-')], { description: 'Put before the name of the refresh cookie' }),
  ),
  ACCESS_TTL: seconds(900, 1, 'Seconds that an access token lives'),
  REFRESH_TTL: seconds(604_800, 1, 'Seconds that a refresh token lives'),
  SESSION_MAX_AGE: seconds(2_592_000, 1, 'Seconds after which a session ends, however often it is refreshed'),
  REFRESH_WINDOW: seconds(
    30,
    0,
    'Seconds after a rotation in which its answer is repeated; 0 is strict single use',
  ),
  REFRESH_RECOVERIES: Type.Integer({
    default: 4,
    minimum: 0,
    maximum: 100,
    description: 'Generations per 24 hours whose lost answer is recovered',
  }),
  MAX_SESSIONS: Type.Integer({ default: 50, minimum: 1, maximum: 1000, description: 'Sessions per user' }),
};

/** The environment of the session service. */
export const SessionEnvironment = Type.Object({
  ...SecretVariables,
  ...StoreVariables,
  ...HttpVariables,
  ...SessionListenVariables,
  ...SessionLimitVariables,
  ...SessionVariables,
  ...captchaVariables,
});

/** The configuration of the session service. */
export type SessionConfig = ReturnType<typeof readSessionConfig>;

/**
 * Reads the configuration.
 * @throws ConfigurationError with a line per mistake
 */
export function readSessionConfig(env: Readonly<Record<string, string | undefined>>) {
  const values = readEnvironment(SessionEnvironment, env, (found) => [
    ...checkSecrets({
      ACCESS_SECRET: found.ACCESS_SECRET,
      REFRESH_SECRET: found.REFRESH_SECRET,
      ENCRYPTION_KEY: found.ENCRYPTION_KEY,
      CHALLENGE_SECRET: found.CHALLENGE_SECRET,
    }),
    ...checkHttp(found),
    ...checkStores(found, ['STORE_URL', 'CAPTCHA_CACHE_STORE']),
    ...checkDirectory(found),
    ...checkTestMode(found),
    ...checkCaptchaVariables(found),
  ]);
  return {
    values,
    storeUrl: storeUrlOf(values),
    challengeStoreUrl: cacheStoreUrlOf(values),
    usersUrl: values.USERS_URL ?? `file:${values.DATA_DIR}/users.mdb`,
    corsOrigin: corsOriginOf(values),
    cookieName: `${values.COOKIE_PREFIX ?? ''}refreshToken`,
    lifetimes: { accessSeconds: values.ACCESS_TTL, refreshSeconds: values.REFRESH_TTL },
    rules: {
      windowMs: values.REFRESH_WINDOW * 1000,
      recoveries: values.REFRESH_RECOVERIES,
      refreshTtlMs: values.REFRESH_TTL * 1000,
      maxAgeMs: values.SESSION_MAX_AGE * 1000,
      maxSessions: values.MAX_SESSIONS,
    },
    captcha: captchaOptionsFrom(values),
  };
}

/** The embedded directory serves one machine only, so in production it has to be wanted. */
function checkDirectory(values: {
  USERS_URL?: string;
  ALLOW_EMBEDDED?: boolean;
  NODE_ENV?: string;
}): string[] {
  const embedded = values.USERS_URL === undefined || values.USERS_URL.startsWith('file:');
  if (!embedded || values.NODE_ENV !== 'production' || values.ALLOW_EMBEDDED === true) return [];
  return ['USERS_URL must name a directory of its own with NODE_ENV=production, unless ALLOW_EMBEDDED=true'];
}
