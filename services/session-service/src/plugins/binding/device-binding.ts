// Reads the device key evidence of requests, and tells clients the next challenge.

import { cookieValues, type KeyRing } from '@tollgate/shared/crypto';
import { Overloaded, RateLimited, refuse, ValidationFailed } from '@tollgate/shared/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  type BindingKey,
  type BindingKind,
  type BindingPolicy,
  bindingKindOf,
  type PresentedBinding,
  UNASKED,
} from '../../domain/binding/binding-rule.js';
import {
  type BrowserSessionOptions,
  boundCookieName,
  boundThumbprint,
  type ChallengePurpose,
  challengeFor,
  formatBoundCookie,
  isCurrentChallenge,
  readRefreshProof,
  registrationHeader,
} from '../../domain/binding/device-proof.js';
import { HOST_PREFIX } from '../../domain/presented-cookies.js';
import type { SessionAttributes } from '../../domain/session-record.js';
import type { RotationVerdict, SessionRef } from '../../stores/session-store.js';
import { type CookieOptions, cookieAttributes } from '../session-cookies.js';
import { createSessionLimit } from '../session-limit.js';

interface DeviceBindingOptions extends CookieOptions {
  readonly policy: BindingPolicy;
  /** The keys of `REFRESH_SECRET`. */
  readonly ring: KeyRing;
  /** The origin whose pages may call. */
  readonly corsOrigin: string;
  /** `BOUND_COOKIE_TTL`. */
  readonly ttlSeconds: number;
  /** Registrations and renewals per minute, session and address. */
  readonly limitPerMinute: number;
}

/** The evidence of a refresh. */
interface PresentedDevice {
  readonly binding: PresentedBinding;
  /** Whether the request has a valid proof with an old nonce, and no bound cookie. */
  readonly isStale: boolean;
}

/** The binding of sessions to devices, in requests and replies, for either kind of key. */
interface DeviceBinding {
  /** The evidence of a refresh for this session. */
  read(request: FastifyRequest, sid: string): PresentedDevice;
  /** The key of a login. @throws ValidationFailed for a malformed proof */
  startKey(request: FastifyRequest): BindingKey | undefined;
  /** A `preHandler` hook of logins: rejects a malformed proof before anything is counted or spent. */
  refuseMalformed(request: FastifyRequest): Promise<void>;
  /**
   * As `announce`, for the response to a login: also reports a binding, and offers to bind the session, to the page by
   * the binding nonce, to the browser by a registration. No other response may offer it, or a copied cookie could bind
   * the session.
   * @param key the result of `startKey`
   */
  started(reply: FastifyReply, session: SessionRef, key: BindingKey | undefined): void;
  /** Tells the client the binding of its session, and the next challenge. */
  announce(reply: FastifyReply, sid: string, attributes: SessionAttributes): void;
  /** Counts a binding by a refresh, and writes bindings and rejected evidence to the audit stream. */
  report(request: FastifyRequest, verdict: RotationVerdict, session: SessionRef): void;
  /** The headers of a rejection; `kind` is undefined if the store was not read. */
  refusalHeaders(request: FastifyRequest, sid: string, kind: BindingKind | undefined): Record<string, string>;
  /** Expires the bound cookie if the request has one, valid or not. */
  clearSent(reply: FastifyReply): void;
  /** Expires the bound cookie unless bindings are ignored, for routes to which browsers do not send it. */
  clear(reply: FastifyReply): void;
  /** For the routes that only browsers call. */
  readonly browser: BrowserBinding;
}

/** The binding to a key of the browser (DBSC). */
interface BrowserBinding {
  /** The service parameters for browsers. */
  readonly session: BrowserSessionOptions;
  /** The current challenge of a session. */
  challenge(purpose: ChallengePurpose, sid: string): string;
  isCurrent(purpose: ChallengePurpose, sid: string, challenge: unknown): boolean;
  /** Sets the bound cookie. */
  setCookie(reply: FastifyReply, sid: string, thumbprint: string): void;
  /** An `onRequest` hook that counts registrations and renewals of an address. @throws Overloaded beyond the limit */
  countAddress(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts those of a session, before a signature is verified. @throws Overloaded beyond the limit */
  countSession(request: FastifyRequest, reply: FastifyReply, sid: string): Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    deviceBinding: DeviceBinding;
  }
}

/** The header for the proof of a page. */
export const BINDING_REQUEST_HEADERS = ['Refresh-Proof'] as const;

/** The headers that tell a page its binding, as documented in the API. */
export const BINDING_ANSWER_HEADERS = {
  'Refresh-Binding': 'Device binding of the session: `none`, `key` or `dbsc`',
  'Refresh-Nonce': 'Nonce for the next `Refresh-Proof`',
} as const;

/** The headers of a login, which may start a binding. */
export const OFFER_HEADERS = {
  ...BINDING_ANSWER_HEADERS,
  'Secure-Session-Registration': 'Offers the browser to bind the session to its own key',
} as const;

/** They have no reader: browsers call these routes by themselves. */
const LIMIT_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

const PROOF_HEADER = 'refresh-proof';
/** Browsers renew once in `BOUND_COOKIE_TTL`, and are allowed 6 signatures in 9 minutes. */
const SHORT_TTL_SECONDS = 240;
/** For a browser that has skipped a renewal; the next one may succeed. */
const SKIPPED_RETRY_SECONDS = '2';

async function deviceBinding(app: FastifyInstance, options: DeviceBindingOptions): Promise<void> {
  const { policy, ring, ttlSeconds, limitPerMinute } = options;
  const publicUrl = new URL(options.publicUrl);
  const basePath = publicUrl.pathname.replace(/\/+$/, '');
  const corsOrigin = new URL(options.corsOrigin);
  const boundCookie = openBoundCookie(app, options);
  const browserSession: BrowserSessionOptions = {
    origin: publicUrl.origin,
    basePath,
    cookie: boundCookie.name,
    attributes: boundCookie.attributes,
    initiator: corsOrigin.origin === publicUrl.origin ? undefined : corsOrigin.hostname,
  };
  const isAsked = policy !== 'off';
  const limit = createSessionLimit(app, 'binding', limitPerMinute);

  async function respondOverloaded(reply: FastifyReply, counting: Promise<void>): Promise<void> {
    try {
      await counting;
    } catch (refusal) {
      // Browsers drop their session for good at a 429, and keep it at a 503. Retry-After is set already.
      throw refusal instanceof RateLimited ? refuse(Overloaded) : refusal;
    } finally {
      for (const name of LIMIT_HEADERS) reply.removeHeader(name);
    }
  }

  /** The proof in the request's header for the address of its route. */
  const proofOf = (request: FastifyRequest) =>
    readRefreshProof(
      request.headers[PROOF_HEADER],
      `${publicUrl.origin}${basePath}${request.routeOptions.url ?? ''}`,
    );
  const challenge = (purpose: ChallengePurpose, sid: string) => challengeFor(ring, purpose, sid, Date.now());
  const isCurrent = (purpose: ChallengePurpose, sid: string, text: unknown) =>
    isCurrentChallenge(ring, purpose, sid, Date.now(), text);

  /** Reports a session that a proof of its page has bound. */
  const reportBound = (request: FastifyRequest, session: SessionRef) => {
    app.metrics.countBinding('key');
    app.audit.write(request, 'refresh_bound', { ...session, kind: 'key' });
  };

  if (isAsked && ttlSeconds < SHORT_TTL_SECONDS) {
    app.log.warn(
      { variable: 'BOUND_COOKIE_TTL' },
      `browsers renew their cookie every ${ttlSeconds} seconds, and stop after 6 signatures in 9 minutes: set it to ${SHORT_TTL_SECONDS} seconds or more`,
    );
  }

  const startKey = (request: FastifyRequest): BindingKey | undefined => {
    if (!isAsked || request.headers[PROOF_HEADER] === undefined) return undefined;
    const proof = proofOf(request);
    if (proof === undefined) throw refuse(ValidationFailed, { fields: { 'Refresh-Proof': ['malformed'] } });
    return proof;
  };

  app.decorate('deviceBinding', {
    read(request, sid) {
      if (!isAsked) return { binding: UNASKED, isStale: false };
      const proof = proofOf(request);
      if (proof !== undefined) request.log.debug({ jti: proof.id, sid }, 'a refresh had a proof');
      const cookie = boundCookie.read(request, sid);
      const isFirst = proof !== undefined && isCurrent('first', sid, proof.nonce);
      const isFresh = isFirst || (proof !== undefined && isCurrent('proof', sid, proof.nonce));
      return {
        binding: { policy, cookie, proof: isFresh ? proof : undefined, isFirst },
        isStale: proof !== undefined && !isFresh && cookie === undefined,
      };
    },
    startKey,
    refuseMalformed: async (request) => void startKey(request),
    started(reply, { uid, sid }, key) {
      if (!isAsked) return;
      const kind = key === undefined ? 'none' : 'key';
      if (kind === 'key') reportBound(reply.request, { uid, sid });
      reply.headers({
        'refresh-binding': kind,
        'refresh-nonce': challenge(kind === 'none' ? 'first' : 'proof', sid),
        'secure-session-registration': registrationHeader(challenge('bind', sid), browserSession),
      });
    },
    announce(reply, sid, attributes) {
      if (!isAsked) return;
      reply.headers({
        'refresh-binding': bindingKindOf(attributes),
        'refresh-nonce': challenge('proof', sid),
      });
    },
    report(request, verdict, session) {
      if ('isBound' in verdict && verdict.isBound) reportBound(request, session);
      if (verdict.outcome === 'binding_required')
        app.audit.write(request, 'refresh_binding_missing', { ...session, kind: verdict.kind });
      if (verdict.outcome === 'binding_failed')
        app.audit.write(request, 'refresh_binding_failed', { ...session, kind: 'key' });
    },
    refusalHeaders(request, sid, kind) {
      const hasSkipped = request.headers['secure-session-skipped'] !== undefined;
      return {
        'refresh-nonce': challenge('proof', sid),
        ...(kind !== undefined && { 'refresh-binding': kind }),
        ...(hasSkipped && { 'retry-after': SKIPPED_RETRY_SECONDS }),
      };
    },
    clearSent(reply) {
      if (boundCookie.isSent(reply.request)) boundCookie.clear(reply);
    },
    clear(reply) {
      if (isAsked) boundCookie.clear(reply);
    },
    browser: {
      session: browserSession,
      challenge,
      isCurrent,
      setCookie: boundCookie.set,
      countAddress: (request, reply) => respondOverloaded(reply, limit.countAddress(request, reply)),
      countSession: (request, reply, sid) =>
        respondOverloaded(reply, limit.countSession(request, reply, sid)),
    },
  });
}

/** The bound cookie of requests and replies. */
function openBoundCookie(app: FastifyInstance, options: DeviceBindingOptions) {
  const { ring, ttlSeconds, cookiePrefix } = options;
  const name = boundCookieName(cookiePrefix);
  // The value names its session and nobody else can create one, so it counts under every name: a changed prefix loses none.
  const names = [boundCookieName(undefined), boundCookieName('__Secure-'), boundCookieName(HOST_PREFIX)];
  const attributes = cookieAttributes(name, options);
  const valuesOf = ({ headers }: FastifyRequest) =>
    names.flatMap((each) => cookieValues(headers.cookie, each));
  return {
    name,
    /** The attributes as in `Set-Cookie`, without the lifetime. */
    attributes: app.serializeCookie(name, '', attributes).slice(`${name}=; `.length),
    /** Whether the request has one, valid or not. */
    isSent: (request: FastifyRequest) => valuesOf(request).length > 0,
    /** The thumbprint that the request's cookies prove for this session. */
    read: (request: FastifyRequest, sid: string) => boundThumbprint(ring, valuesOf(request), sid, Date.now()),
    set(reply: FastifyReply, sid: string, thumbprint: string): void {
      const expiresAt = Math.floor(Date.now() / 1000) + ttlSeconds;
      const value = formatBoundCookie(ring, { sid, thumbprint, expiresAt });
      reply.setCookie(name, value, { ...attributes, maxAge: ttlSeconds });
    },
    clear(reply: FastifyReply): void {
      reply.setCookie(name, '', { ...attributes, maxAge: 0, expires: new Date(0) });
    },
  };
}

/** Decorates the server with `deviceBinding`. */
export default fp(deviceBinding, {
  name: 'tollgate-device-binding',
  fastify: '5.x',
  dependencies: ['tollgate-session-cookies', 'tollgate-rate-limit'],
});
