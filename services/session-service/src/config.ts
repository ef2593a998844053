// The configuration of the session service, read from the environment.

import { Type } from '@sinclair/typebox';
import {
  auditDaysWarning,
  ChallengeLimitVariables,
  ChallengeModuleVariables,
  cacheStoreUrlOf,
  captchaOptionsFrom,
  captchaVariables,
  checkAddressRanges,
  checkCaptchaVariables,
  checkHttp,
  checkSecrets,
  checkStores,
  checkTestMode,
  checkTokenFormat,
  corsOriginOf,
  DeviceVariables,
  HttpVariables,
  isThisMachineOnly,
  plainHttpWarning,
  RangeVariables,
  readEnvironment,
  SESSION_PORT,
  SecretVariables,
  SessionLimitVariables,
  SessionListenVariables,
  StoreVariables,
  storeUrlOf,
  TokenFormatVariables,
  unknownCaptchaVariables,
  unknownVariables,
  weakSecrets,
  withPortAndAddress,
} from '@tollgate/shared/config';
import { checkApiKey, checkDirectory, checkPageCookie, checkStatements } from './config-checks.js';

/** How sessions are bound to the device of the login. */
const BindingVariables = {
  REFRESH_BINDING: Type.Union([Type.Literal('off'), Type.Literal('offer'), Type.Literal('require')], {
    default: 'offer',
    description: '[Device binding](sessions/device-binding.md)',
  }),
  BOUND_COOKIE_TTL: Type.Integer({
    default: 600,
    minimum: 1,
    maximum: 86_400,
    description:
      'Lifetime in seconds of a browser-bound cookie before the browser signs again; at 120 or less, at every refresh',
  }),
};

/** Sessions of pages that a server renders. */
const PageVariables = {
  PAGE_COOKIE: Type.Boolean({
    default: false,
    description:
      'Sets a cookie that tells [servers that render pages](sessions/server-rendering.md) the user',
  }),
  PAGE_LOGIN_URL: Type.Optional(
    Type.String({
      maxLength: 2048,
      pattern: '^(?:https?://|/(?!/))[!-\\[\\]-~]*$',
      expected: 'a path such as /sign-in, or a URL',
      description: 'Login page of your application, required with `PAGE_COOKIE`; receives `?to=`',
    }),
  ),
};

const seconds = (value: number, minimum: number, description: string) =>
  Type.Integer({ default: value, minimum, maximum: 31_536_000, description });

const statement = (description: string) => Type.Optional(Type.String({ description }));

/** The variables for the user directory, the lifetimes of tokens and sessions, and the cookie. */
export const SessionVariables = {
  USERS_URL: Type.Optional(
    Type.String({
      secret: true,
      pattern: '^(?:file:|module:|postgres(?:ql)?://)[\\s\\S]',
      expected: 'file:PATH, postgres://USER:PASSWORD@HOST/DATABASE or module:PATH',
      description:
        '[User directory](operations/directory.md): `file:` and a path, `postgres://…`, or `module:` and the path of a driver',
      shownDefault: '`file:` and `users.db` in `DATA_DIR`',
    }),
  ),
  USERS_BY_EMAIL: statement(
    'Required with `postgres://…`: finds a user by `$1`, the normalised address; returns `id`, `email`, `hash`, `disabled`',
  ),
  USERS_BY_ID: statement('Required with `postgres://…`: the same by `$1`, the id'),
  USERS_SAVE_HASH: statement(
    'With `postgres://…`: replaces the hash of user `$1` by `$3` if it is still `$2`; without it no hash changes',
  ),
  COOKIE_SAMESITE: Type.Union([Type.Literal('strict'), Type.Literal('lax')], {
    default: 'strict',
    description: '`SameSite` of the refresh cookie; `lax` only for logins that redirect across sites',
  }),
  COOKIE_PREFIX: Type.Optional(
    Type.Union([Type.Literal('__Secure-'), Type.Literal('__Host-')], {
      description:
        'Prefix of the refresh cookie name; no other host can set [`__Host-`](sessions/cookies.md#the-host-prefix)',
    }),
  ),
  ACCESS_TTL: seconds(
    900,
    1,
    'Lifetime of an access token, in seconds; set it in every [bearer guard](sessions/verify-tokens.md#fastify) too',
  ),
  REFRESH_TTL: seconds(604_800, 1, 'Lifetime of a refresh token, in seconds'),
  REFRESH_TTL_NOT_REMEMBERED: seconds(
    86_400,
    1,
    'The same after a login with `remember: false`; at most `REFRESH_TTL`',
  ),
  SESSION_MAX_AGE: seconds(2_592_000, 1, 'Seconds after which a session ends, even if refreshed'),
  REFRESH_WINDOW: seconds(
    30,
    0,
    'Seconds in which a replaced token repeats its [rotation](sessions/refresh.md#rotation); 0 is strict single use',
  ),
  REFRESH_RECOVERIES: Type.Integer({
    default: 4,
    minimum: 0,
    maximum: 100,
    description: 'Lost responses recovered per session in 24 hours',
  }),
  AUDIT_TTL: seconds(
    604_800,
    0,
    'Seconds that [`session`](operations/investigate.md) can explain ends and logins; 0 stores nothing',
  ),
  MAX_SESSIONS: Type.Integer({ default: 50, minimum: 1, maximum: 1000, description: 'Sessions per user' }),
  SESSION_API_KEY: Type.Optional(
    Type.String({
      // Headers allow no other characters, and a comma suggests a list, which is not supported.
      pattern: '^[!-+\\--~]{32,}$',
      secret: true,
      description: 'Bearer key of `/introspect`, `/sessions/revoked` and `/users/` on the admin port',
      expected: 'a key of at least 32 printable ASCII characters without spaces and commas',
      shownDefault: 'none: routes return 404',
    }),
  ),
};

/** The environment of the session service. */
export const SessionEnvironment = Type.Object({
  ...SecretVariables,
  ...TokenFormatVariables,
  ...StoreVariables,
  ...HttpVariables,
  ...SessionListenVariables,
  ...SessionLimitVariables,
  ...RangeVariables,
  ...SessionVariables,
  ...BindingVariables,
  ...PageVariables,
  ...DeviceVariables,
  ...ChallengeModuleVariables,
  ...captchaVariables,
});

/** The configuration of the session service. */
export type SessionConfig = ReturnType<typeof readSessionConfig>;

/** Prefixes of its variables only, and variables of the challenge service with such a prefix. */
const NAMES = {
  prefixes: ['BOUND_COOKIE_', 'COOKIE_', 'PAGE_', 'RATE_LIMIT_', 'REFRESH_', 'USERS_'],
  known: [
    ...Object.keys(ChallengeLimitVariables),
    // Those of its extensions.
    ...['RATE_LIMIT_GATE', 'RATE_LIMIT_REDEEM', 'RATE_LIMIT_SITEVERIFY'],
  ],
};

/**
 * Reads and checks the configuration.
 * @throws ConfigurationError with a line per mistake
 */
export function readSessionConfig(given: Readonly<Record<string, string | undefined>>) {
  const env = withPortAndAddress(given, 'SESSION_PORT', SESSION_PORT);
  const allowWeak = isThisMachineOnly(env);
  const values = readEnvironment(SessionEnvironment, env, (found) => [
    ...checkSecrets(secretsOf(found), { allowWeak }),
    ...checkTokenFormat(found, env),
    ...checkApiKey(found),
    ...checkHttp(found),
    ...checkAddressRanges(found.RATE_LIMIT_RANGES),
    ...checkStores(found, ['STORE_URL', 'CAPTCHA_CACHE_STORE']),
    ...checkDirectory(found),
    ...checkStatements(found),
    ...checkPageCookie(found, env),
    ...checkTestMode(found),
    ...checkCaptchaVariables(found),
    ...unknownCaptchaVariables(env),
  ]);
  return {
    values,
    /** Log lines about settings that work, but probably not as intended. */
    warnings: [
      ...(allowWeak ? weakSecrets(secretsOf(values)) : []),
      ...plainHttpWarning(values),
      ...auditDaysWarning(values),
      ...unknownVariables(given, SessionEnvironment, NAMES),
    ],
    storeUrl: storeUrlOf(values),
    challengeStoreUrl: cacheStoreUrlOf(values),
    usersUrl: values.USERS_URL ?? `file:${values.DATA_DIR}/users.db`,
    userStatements: {
      byEmail: values.USERS_BY_EMAIL,
      byId: values.USERS_BY_ID,
      saveHash: values.USERS_SAVE_HASH,
    },
    corsOrigin: corsOriginOf(values),
    /** Origins whose pages may log in and refresh. */
    origins: [corsOriginOf(values), new URL(values.PUBLIC_URL).origin],
    lifetimes: {
      accessSeconds: values.ACCESS_TTL,
      refreshSeconds: values.REFRESH_TTL,
      notRememberedSeconds: values.REFRESH_TTL_NOT_REMEMBERED,
    },
    rules: {
      windowMs: values.REFRESH_WINDOW * 1000,
      recoveries: values.REFRESH_RECOVERIES,
      refreshTtlMs: values.REFRESH_TTL * 1000,
      notRememberedTtlMs: values.REFRESH_TTL_NOT_REMEMBERED * 1000,
      maxAgeMs: values.SESSION_MAX_AGE * 1000,
      maxSessions: values.MAX_SESSIONS,
    },
    captcha: captchaOptionsFrom(values),
    /** Threads of Node's pool, which hash passwords. Node reads its variable at the start; 4 without it. */
    poolThreads: Number(given.UV_THREADPOOL_SIZE ?? 4),
  };
}

function secretsOf(values: { readonly [Name in keyof typeof SecretVariables]?: string | undefined }) {
  const { ACCESS_SECRET, REFRESH_SECRET, ENCRYPTION_KEY, CHALLENGE_SECRET } = values;
  return { ACCESS_SECRET, REFRESH_SECRET, ENCRYPTION_KEY, CHALLENGE_SECRET };
}
