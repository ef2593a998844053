// The public application of the session service: its own registrations, in reading order.

import type { AuditTrail } from '@tollgate/shared/audit';
import type { ChallengeStore, ChallengeType } from '@tollgate/shared/challenges';
import { SESSION_APPLICATION } from '@tollgate/shared/config';
import type { KeyRing } from '@tollgate/shared/crypto';
import { challengeGuard } from '@tollgate/shared/guard';
import { buildPublicApp, type HealthState, originCheck } from '@tollgate/shared/http';
import type { AccessLifetimes, SeenClaims } from '@tollgate/shared/sessions';
import type { RequestCounter, Store } from '@tollgate/shared/store';
import { bearerPlugin as bearer, publishKeys, type TokenOptions, tokens } from '@tollgate/shared/tokens';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { SessionConfig } from './config.js';
import { cookieName } from './domain/presented-cookies.js';
import audit from './plugins/audit.js';
import deviceBinding, {
  BINDING_ANSWER_HEADERS,
  BINDING_REQUEST_HEADERS,
} from './plugins/binding/device-binding.js';
import sessionDependencies, { type DecoratedDependencies } from './plugins/dependencies.js';
import knownDevice from './plugins/known-device.js';
import { pageCookieName } from './plugins/page-cookie.js';
import sessionCookies from './plugins/session-cookies.js';
import { createSessionLimit, limitedBearer } from './plugins/session-limit.js';
import jwks from './routes/bearer/jwks.js';
import profile from './routes/bearer/profile.js';
import verify from './routes/bearer/verify.js';
import bindBrowser from './routes/binding/bind-browser.js';
import renewBinding from './routes/binding/renew-binding.js';
import continueRefresh from './routes/page/continue-refresh.js';
import verifyPage from './routes/page/verify-page.js';
import endRefresh from './routes/refresh-token/end-refresh.js';
import refresh from './routes/refresh-token/refresh.js';
import endOtherSessions from './routes/sessions/end-other-sessions.js';
import endOwnSession from './routes/sessions/end-session.js';
import listSessions from './routes/sessions/list-sessions.js';
import logout from './routes/sessions/logout.js';
import changePassword from './routes/sign-in/change-password.js';
import login from './routes/sign-in/login.js';
import loginCode from './routes/sign-in/login-code.js';
import reauthenticate from './routes/sign-in/reauthenticate.js';
import reauthenticateCode from './routes/sign-in/reauthenticate-code.js';
import type { AccountEvents } from './stores/account-events.js';

/** The dependencies of the application; service.ts opens and closes them. */
export interface SessionDependencies extends DecoratedDependencies {
  readonly challenges: ChallengeStore;
  /** The operator's own challenge types, which a login may solve. */
  readonly kinds?: readonly ChallengeType[];
  /** Counts requests in the store, for the rate limits. */
  readonly countRequest: RequestCounter;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly tokenKeys: TokenOptions;
  /** The accepted lifetimes of access tokens. */
  readonly lifetimes: AccessLifetimes;
  /** Called with the claims of every verified access token. */
  readonly proveUse: (claims: SeenClaims) => void;
  /** The store of account events. */
  readonly accountEvents: AccountEvents;
  /** The audit stream. */
  readonly trail: AuditTrail;
  /** The stores whose clients are available to plugins as `app.redis.NAME`. */
  readonly redis: Readonly<Record<'sessions' | 'challenges', Store>>;
  /** Absolute path of `AUDIT_LOG`. */
  readonly auditPath?: string | undefined;
  readonly logger: FastifyBaseLogger;
  /** Whether the service stops, and its listeners end their connections. */
  readonly state?: HealthState;
}

/** Builds the public application, ready to listen. */
export async function buildApp(config: SessionConfig, deps: SessionDependencies): Promise<FastifyInstance> {
  const { values } = config;
  const publicUrl = values.PUBLIC_URL;
  const { challenges, kinds = [], ring, metrics, trail } = deps;
  const app = await buildPublicApp({
    ...deps,
    publicUrl,
    isTestMode: config.captcha.test_mode,
    trustProxy: values.TRUST_PROXY,
    observe: metrics.requests('public'),
    crossOrigin: {
      origin: config.corsOrigin,
      headers: [...BINDING_REQUEST_HEADERS, ...(values.CORS_HEADERS ?? [])],
      exposed: Object.keys(BINDING_ANSWER_HEADERS),
    },
    description: {
      title: 'Tollgate session service',
      version: '1',
      description: 'Login, silent refresh and protected requests',
      serverUrl: publicUrl,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        refreshCookie: { type: 'apiKey', in: 'cookie', name: cookieName(values.COOKIE_PREFIX) },
        ...(values.PAGE_COOKIE && {
          pageCookie: { type: 'apiKey', in: 'cookie', name: pageCookieName(publicUrl) },
        }),
      },
    },
    limitRanges: values.RATE_LIMIT_RANGES,
  });
  await app.register(sessionDependencies, deps);
  await app.register(tokens, deps.tokenKeys);
  const cookies = { cookiePrefix: values.COOKIE_PREFIX, sameSite: values.COOKIE_SAMESITE, publicUrl };
  const checks = {
    revocations: deps.revocations,
    lifetimes: deps.lifetimes,
    onVerified: deps.proveUse,
  };
  const page = values.PAGE_COOKIE ? { publicUrl, tokenKeys: deps.tokenKeys, checks } : null;
  await app.register(sessionCookies, { ...cookies, page });
  await app.register(deviceBinding, {
    ...cookies,
    policy: values.REFRESH_BINDING,
    ring: deps.tokenKeys.refreshSecrets,
    corsOrigin: config.corsOrigin,
    ttlSeconds: values.BOUND_COOKIE_TTL,
    limitPerMinute: values.RATE_LIMIT_REFRESH,
  });
  await app.register(knownDevice, {
    cookiePrefix: values.COOKIE_PREFIX,
    publicUrl,
    encryptionKeys: deps.tokenKeys.encryptionKeys,
    ttlSeconds: values.DEVICE_TTL,
    isOnlyAsked: values.DEVICE_COOKIE === 'asked',
    attempts: values.DEVICE_ATTEMPTS,
    countDevice: metrics.countDevice,
  });
  await app.register(bearer, { tokens: app.tokens.access, ...checks });
  await app.register(audit, { ring, trail, accountEvents: deps.accountEvents, host: SESSION_APPLICATION });
  await app.register(originCheck, { allowed: config.origins });
  await app.register(challengeGuard, {
    store: challenges,
    ring,
    options: config.captcha,
    application: SESSION_APPLICATION,
    kinds,
    observer: metrics.challenges(SESSION_APPLICATION, trail),
  });
  const settings = { rules: config.rules, lifetimes: config.lifetimes };
  const { lifetimes } = settings;
  const publicOrigin = new URL(publicUrl).origin;
  await app.register(login, { limitPerMinute: values.RATE_LIMIT_LOGIN, settings });
  await app.register(loginCode, {
    limitPerMinute: values.RATE_LIMIT_LOGIN_CODE,
    publicOrigin,
    settings,
  });
  const limit = createSessionLimit(app, 'refresh', values.RATE_LIMIT_REFRESH);
  await app.register(refresh, { settings, limit });
  if (values.REFRESH_BINDING !== 'off') {
    await app.register(bindBrowser);
    await app.register(renewBinding);
  }
  await app.register(endRefresh, { limit });
  const requireBearer = limitedBearer(app, values.RATE_LIMIT_SESSION);
  await app.register(reauthenticate, { limitPerMinute: values.RATE_LIMIT_LOGIN, lifetimes, requireBearer });
  await app.register(reauthenticateCode, {
    limitPerMinute: values.RATE_LIMIT_LOGIN_CODE,
    publicOrigin,
    lifetimes,
    requireBearer,
  });
  await app.register(changePassword, { limitPerMinute: values.RATE_LIMIT_LOGIN, requireBearer });
  for (const route of [logout, profile, listSessions, endOwnSession, endOtherSessions])
    await app.register(route, { requireBearer });
  await app.register(verify);
  const published = publishKeys(deps.tokenKeys.publicTokens?.keys.all ?? []);
  const pageCookie = app.cookies.page;
  const publishedForPages = pageCookie && publishKeys(pageCookie.keys?.all ?? []);
  await app.register(jwks, { published, publishedForPages, limitPerMinute: values.RATE_LIMIT_SESSION });
  if (pageCookie !== null) {
    await app.register(verifyPage, { pageCookie });
    const { PAGE_LOGIN_URL: loginUrl = '/' } = values;
    await app.register(continueRefresh, { publicUrl, origins: config.origins, loginUrl });
  }
  return app;
}
