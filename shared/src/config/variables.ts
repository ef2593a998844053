// The variables of both services, in groups to spread into a service's schema.

import { Type } from '@sinclair/typebox';
import { MAX_DEVICE_TTL_SECONDS } from '../schemas/device-claims.js';

const secretList = (description: string) =>
  Type.String({
    description,
    secret: true,
    expected: 'a secret of at least 32 characters, or a comma-separated list of them',
  });
const port = (value: number, description: string, shownDefault = `\`${value}\``) =>
  Type.Integer({ default: value, minimum: 0, maximum: 65_535, description, shownDefault });
/** Hosting platforms set `PORT`. */
const publicPort = (value: number, description: string) =>
  port(value, description, `\`PORT\`, else \`${value}\``);
const perMinute = (value: number, description: string) =>
  Type.Integer({
    default: value,
    minimum: 1,
    maximum: 1_000_000,
    description,
  });
const choiceOf = <T extends string>(...names: T[]) => names.map((name) => Type.Literal(name));

const networkFactor = (value: number, network: string) =>
  Type.Integer({
    default: value,
    minimum: 1,
    maximum: 65_536,
    description: `Factor on [limits of challenges](challenges/rate-limits.md) for all addresses of an IPv6 ${network}`,
  });

/** The secrets, in the form for `openKeyRing`. Each service uses some of them. */
export const SecretVariables = {
  ACCESS_SECRET: secretList('Signs access tokens'),
  REFRESH_SECRET: secretList('Signs refresh tokens'),
  ENCRYPTION_KEY: secretList('Encrypts both kinds of token'),
  CHALLENGE_SECRET: Type.String({
    ...secretList('Derives answers, signs scope tickets, keys addresses and accounts'),
    shownDefault: '[on one machine](#on-one-machine) from `secrets.json`; else required',
  }),
};

/** The stores. */
export const StoreVariables = {
  STORE_URL: Type.Optional(
    Type.String({
      secret: true,
      description:
        'Session store: `redis://`, `rediss://`, `redis+cluster://h1:p,h2:p/`, `redis+sentinel://h1:p,h2:p/NAME/DB` (`rediss+` with TLS), or `file:` and a path',
      shownDefault: '`file:` and `tollgate.db` in `DATA_DIR`',
    }),
  ),
  CAPTCHA_CACHE_STORE: Type.Optional(
    Type.String({
      secret: true,
      description: 'Store of challenges and counters; in production [another instance](operations/redis.md)',
      shownDefault: '`STORE_URL`',
    }),
  ),
  DATA_DIR: Type.String({ default: './data', description: 'Folder of embedded stores' }),
  ALLOW_EMBEDDED: Type.Boolean({
    default: false,
    description: 'Allows embedded store and user file with `NODE_ENV=production`',
  }),
};

/** The operator's own challenge code. */
export const ChallengeModuleVariables = {
  CAPTCHA_MODULE: Type.Optional(
    Type.String({
      description: 'Path of your module with `kinds`, `presets` or `renderer`',
    }),
  ),
};

/** Presets without a module. */
export const PresetVariables = {
  CAPTCHA_PRESETS: Type.Optional(
    Type.String({
      description: 'Your presets: JSON (`{…`), or path of a JSON file',
    }),
  ),
};

/** Listeners, allowed callers, log and shutdown of the services. */
export const HttpVariables = {
  BIND: Type.String({ default: '127.0.0.1', description: 'Public listen address' }),
  ADMIN_BIND: Type.String({ default: '127.0.0.1', description: 'Admin listen address' }),
  PUBLIC_URL: Type.String({
    description: 'Address that browsers see',
    expected: 'the address that browsers see, such as https://example.com',
    shownDefault: '[on one machine](#on-one-machine) `http://localhost:` and the port; else required',
  }),
  CORS_ORIGIN: Type.Optional(
    Type.String({
      description: 'The only other origin whose pages may call the services',
      shownDefault: 'the origin of `PUBLIC_URL`',
    }),
  ),
  CORS_HEADERS: Type.Optional(
    // No `*`: with credentials it would be a header name, not a wildcard.
    Type.Array(Type.String({ pattern: "^[A-Za-z0-9!#$%&'+.^_`|~-]{1,64}$" }), {
      maxItems: 32,
      expected: 'names of request headers such as X-Requested-With, separated by commas',
      description: 'Further request headers that pages of `CORS_ORIGIN` may send',
    }),
  ),
  TRUST_PROXY: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Addresses or ranges of [proxies](operations/proxy.md), `loopback` or `uniquelocal`',
    }),
  ),
  DRAIN_SECONDS: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 600,
    description: 'Seconds of serving [after SIGTERM](operations/health.md#stopping)',
  }),
  LOG_LEVEL: Type.Union(choiceOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), {
    default: 'info',
    description: 'Lowest logged level',
  }),
  AUDIT_LOG: Type.Optional(
    Type.String({
      description: 'File for [security events](audit.md) (mode 0600), reopened after a rotation',
      shownDefault: 'standard output',
    }),
  ),
  AUDIT_LOG_DAYS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'Days that lines of `AUDIT_LOG` are kept: rotates the file daily and removes old ones',
      shownDefault: 'no rotation',
    }),
  ),
  NODE_ENV: Type.Optional(
    Type.Union(choiceOf('production', 'development', 'test'), {
      description: '`production` rejects settings for a single machine',
    }),
  ),
};

/** Usual port of the challenge service. */
export const CHALLENGE_PORT = 3002;

/** Ports of the challenge service. */
export const ChallengeListenVariables = {
  CHALLENGE_PORT: publicPort(CHALLENGE_PORT, 'Port of the service'),
  CHALLENGE_ADMIN_PORT: port(9002, 'Port of health, metrics, host API'),
};

/** Keys of the host API. */
export const HostApiVariables = {
  HOST_API_KEY: Type.Optional(
    Type.String({
      secret: true,
      description: 'Host API key of the application `default`, at least 32 characters',
      shownDefault: 'none: routes return 404',
    }),
  ),
  HOST_API_KEYS: Type.Optional(
    Type.String({
      secret: true,
      description: 'List of further applications: `name:secret`',
    }),
  ),
};

/** Limits of the challenge service. */
export const ChallengeLimitVariables = {
  RATE_LIMIT_POW: perMinute(60, 'Proof-of-work challenges'),
  RATE_LIMIT_ISSUE: perMinute(60, 'Image challenges and effort'),
  RATE_LIMIT_NO_SCRIPT: perMinute(6, 'Images that replace work (`CAPTCHA_NO_SCRIPT`)'),
  RATE_LIMIT_FACTOR_56: networkFactor(4, '/56'),
  RATE_LIMIT_FACTOR_48: networkFactor(16, '/48'),
  RATE_LIMIT_IMAGE: perMinute(120, 'Drawn images'),
};

/** Usual port of the session service. */
export const SESSION_PORT = 3001;

/** Ports of the session service. */
export const SessionListenVariables = {
  SESSION_PORT: publicPort(SESSION_PORT, 'Port of the service'),
  SESSION_ADMIN_PORT: port(9001, 'Port of health, metrics, administration'),
};

/** Known devices. */
export const DeviceVariables = {
  DEVICE_TTL: Type.Integer({
    default: 7_776_000,
    minimum: 0,
    maximum: MAX_DEVICE_TTL_SECONDS,
    description:
      'Seconds that a [device](sessions/login.md#known-devices) stays known after a login; 0 disables it',
  }),
  DEVICE_COOKIE: Type.Union([Type.Literal('login'), Type.Literal('asked')], {
    default: 'login',
    description:
      'Logins that set the device cookie: those without `remember: false`, or `asked`: those with `remember: true`',
  }),
  DEVICE_ATTEMPTS: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 100,
    description: 'Failures of a known device before its attempts count for the account',
  }),
};

/** Limits of the session service. */
export const SessionLimitVariables = {
  RATE_LIMIT_LOGIN: perMinute(30, 'Password logins'),
  RATE_LIMIT_LOGIN_CODE: perMinute(60, 'Logins with a code'),
  RATE_LIMIT_REFRESH: perMinute(60, 'Refreshes of a [session and address](sessions/refresh.md#rate-limits)'),
  RATE_LIMIT_SESSION: perMinute(300, 'Other requests of a session and address; requests for public keys'),
};
