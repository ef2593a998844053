// The variables that both services read, in groups to spread into the schema of a service.

import { Type } from '@sinclair/typebox';
import { MAX_DEVICE_TTL_SECONDS } from '../schemas/device-claims.js';

const secretList = (description: string) =>
  Type.String({
    description: `${description}; at least 32 characters made by chance (\`openssl rand -hex 32\`), or a comma-separated list of such`,
    secret: true,
    expected: 'a secret of at least 32 characters, or a comma-separated list of such',
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
    description: `${description}, per minute and address`,
  });
const choiceOf = <T extends string>(...names: T[]) => names.map((name) => Type.Literal(name));

const networkFactor = (value: number, network: string) =>
  Type.Integer({
    default: value,
    minimum: 1,
    maximum: 65_536,
    description: `Times the limits of \`RATE_LIMIT_POW\`, \`RATE_LIMIT_ISSUE\` and \`RATE_LIMIT_NO_SCRIPT\` that all addresses of an IPv6 ${network} share`,
  });

/** The secrets, in the form that `openKeyRing` reads. Each service uses some of them. */
export const SecretVariables = {
  ACCESS_SECRET: secretList('Signs access tokens'),
  REFRESH_SECRET: secretList('Signs refresh tokens'),
  ENCRYPTION_KEY: secretList('Encrypts both kinds of token'),
  CHALLENGE_SECRET: Type.String({
    ...secretList('Derives answers, signs scope tickets, keys addresses and accounts'),
    shownDefault:
      'on this machine only: from `secrets.json` in `DATA_DIR`, made if there is none; else required',
  }),
};

/** Where the stores are. */
export const StoreVariables = {
  STORE_URL: Type.Optional(
    Type.String({
      secret: true,
      description:
        'The store: `redis://`, `rediss://`, `redis+cluster://h1:p,h2:p/`, `redis+sentinel://h1:p,h2:p/NAME/DB`, or `file:` and a path',
      shownDefault: '`file:` and `tollgate.db` in `DATA_DIR`',
    }),
  ),
  CAPTCHA_CACHE_STORE: Type.Optional(
    Type.String({
      secret: true,
      description:
        'The store of challenges and counters; in production another instance than that of the sessions, so that a flood of challenges cannot fill the memory of the sessions',
      shownDefault: '`STORE_URL`',
    }),
  ),
  DATA_DIR: Type.String({ default: './data', description: 'Folder of the embedded stores' }),
  ALLOW_EMBEDDED: Type.Boolean({
    default: false,
    description: 'Lets the embedded store and directory serve with `NODE_ENV=production`',
  }),
};

/** The operator's own code for the challenges. */
export const ChallengeModuleVariables = {
  CAPTCHA_MODULE: Type.Optional(
    Type.String({
      description:
        'Path of a module of your own with `kinds`, `presets` and `renderer` for the challenges, as far as it has them',
    }),
  ),
};

/** Presets without a module. */
export const PresetVariables = {
  CAPTCHA_PRESETS: Type.Optional(
    Type.String({
      description: 'Presets of your own: the path of a JSON file, or JSON that begins with `{`',
    }),
  ),
};

/** How the services listen, who may call them, how they log and stop. */
export const HttpVariables = {
  BIND: Type.String({ default: '127.0.0.1', description: 'Address that the public listener binds' }),
  ADMIN_BIND: Type.String({ default: '127.0.0.1', description: 'Address that the admin listener binds' }),
  PUBLIC_URL: Type.String({
    description: 'The address that browsers see',
    expected: 'the address that browsers see, such as https://example.com',
    shownDefault: 'on this machine only: `http://localhost:` and the port of the service; else required',
  }),
  CORS_ORIGIN: Type.Optional(
    Type.String({
      description: 'The one origin whose pages may call the services',
      shownDefault: 'the origin of `PUBLIC_URL`',
    }),
  ),
  CORS_HEADERS: Type.Optional(
    // No `*`: with credentials it would be the name of a header, not a wildcard.
    Type.Array(Type.String({ pattern: "^[A-Za-z0-9!#$%&'+.^_`|~-]{1,64}$" }), {
      maxItems: 32,
      expected: 'names of request headers such as X-Requested-With, separated by commas',
      description:
        'Request headers, separated by commas, that pages of `CORS_ORIGIN` may send besides `Authorization`, `Content-Type` and `Accept-Language`',
    }),
  ),
  TRUST_PROXY: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Proxies in front: addresses and ranges, `loopback` or `uniquelocal`, separated by commas',
    }),
  ),
  DRAIN_SECONDS: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 600,
    description: 'Seconds that a stopping service goes on serving while it reports that it is not ready',
  }),
  LOG_LEVEL: Type.Union(choiceOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), {
    default: 'info',
    description: 'The least important lines that are logged',
  }),
  AUDIT_LOG: Type.Optional(
    Type.String({
      description:
        'Path of the file that security events are appended to, whatever `LOG_LEVEL` is; made with mode 0600, opened anew after a rotation',
      shownDefault: 'the standard output',
    }),
  ),
  NODE_ENV: Type.Optional(
    Type.Union(choiceOf('production', 'development', 'test'), {
      description: 'With `production` everything that suits a single machine only stops the start',
    }),
  ),
};

/** Usual port of the challenge service. */
export const CHALLENGE_PORT = 3002;

/** Ports of the challenge service. */
export const ChallengeListenVariables = {
  CHALLENGE_PORT: publicPort(CHALLENGE_PORT, 'Port of the challenge service'),
  CHALLENGE_ADMIN_PORT: port(9002, 'Port of its health, metrics and host API'),
};

/** Keys of the host API. */
export const HostApiVariables = {
  HOST_API_KEY: Type.Optional(
    Type.String({
      secret: true,
      description: 'Bearer key of the application `default` at the host API; at least 32 characters',
      shownDefault: 'none: its routes answer 404',
    }),
  ),
  HOST_API_KEYS: Type.Optional(
    Type.String({
      secret: true,
      description: 'Keys of further applications: `name:secret`, separated by commas',
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
  RATE_LIMIT_IMAGE: perMinute(120, 'Images'),
};

/** Usual port of the session service. */
export const SESSION_PORT = 3001;

/** Ports of the session service. */
export const SessionListenVariables = {
  SESSION_PORT: publicPort(SESSION_PORT, 'Port of the session service'),
  SESSION_ADMIN_PORT: port(9001, 'Port of its health, metrics and administration'),
};

/** What a log-in remembers of its device. */
export const DeviceVariables = {
  DEVICE_TTL: Type.Integer({
    default: MAX_DEVICE_TTL_SECONDS,
    minimum: 0,
    maximum: MAX_DEVICE_TTL_SECONDS,
    description: 'Seconds that a device stays known after a log-in; 0 knows no devices',
  }),
  DEVICE_ATTEMPTS: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 100,
    description:
      'Failures of a known device within `CAPTCHA_ESCALATION_DECAY` from which its attempts count for the account',
  }),
};

/** Limits of the session service. */
export const SessionLimitVariables = {
  RATE_LIMIT_LOGIN: perMinute(30, 'Log-ins'),
  RATE_LIMIT_LOGIN_CODE: perMinute(60, 'Log-ins with a code of an application'),
  RATE_LIMIT_REFRESH: perMinute(
    60,
    'Refreshes of a session, and as many rejected ones of an address, which may send 50 times as many in all',
  ),
  RATE_LIMIT_SESSION: perMinute(
    300,
    'Requests of a session with a valid bearer to the other session routes, as many refused bearers of an address, which may send 50 times as many requests in all, and as many requests for the public keys',
  ),
};
