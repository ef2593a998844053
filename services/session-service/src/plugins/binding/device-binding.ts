// Reads the device key evidence of requests, and tells clients the next challenge.

import type { KeyRing } from '@tollgate/shared/crypto';
import { Overloaded, RateLimited, refuse, ValidationFailed } from '@tollgate/shared/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  type BindingKey,
  type BindingKind,
  type BindingPolicy,
  type PresentedBinding,
  UNASKED,
} from '../../domain/binding/binding-rule.js';
import {
  type BrowserSessionOptions,
  type ChallengePurpose,
  challengeFor,
  isCurrentChallenge,
  readRefreshProof,
  registrationHeader,
} from '../../domain/binding/device-proof.js';
import { createSessionLimit } from '../session-limit.js';

export interface DeviceBindingOptions {
  readonly policy: BindingPolicy;
  /** The keys of `REFRESH_SECRET`. */
  readonly ring: KeyRing;
  readonly publicUrl: string;
  /** The origin whose pages may call. */
  readonly corsOrigin: string;
  /** `BOUND_COOKIE_TTL`. */
  readonly ttlSeconds: number;
  /** Registrations and renewals per minute, session and address. */
  readonly limitPerMinute: number;
}

/** The evidence of a refresh. */
export interface PresentedDevice {
  readonly binding: PresentedBinding;
  /** Whether the request has a valid proof with an old nonce, and no bound cookie. */
  readonly isStale: boolean;
}

/** The binding of sessions to devices, in requests and replies. */
export interface DeviceBinding {
  readonly policy: BindingPolicy;
  /** The service parameters for browsers. */
  readonly browser: BrowserSessionOptions;
  /** The evidence of a refresh for this session. */
  read(request: FastifyRequest, sid: string): PresentedDevice;
  /** The key of a login. @throws ValidationFailed for a malformed proof */
  startKey(request: FastifyRequest): BindingKey | undefined;
  /** A `preHandler` hook of logins: rejects a malformed proof before anything is counted or spent. */
  refuseMalformed(request: FastifyRequest): Promise<void>;
  /** Tells the client the binding of its session, and the next challenge. */
  announce(reply: FastifyReply, sid: string, kind: BindingKind): void;
  /**
   * As `announce`, for the response to a login: also offers to bind the session, to the page by the binding nonce, to the
   * browser by a registration. No other response may offer it, or a copied cookie could bind the session.
   */
  offer(reply: FastifyReply, sid: string, kind: BindingKind): void;
  /** The headers of a rejection; `kind` is undefined if the store was not read. */
  refusalHeaders(request: FastifyRequest, sid: string, kind: BindingKind | undefined): Record<string, string>;
  /** The current challenge of a session. */
  challenge(purpose: ChallengePurpose, sid: string): string;
  isCurrent(purpose: ChallengePurpose, sid: string, challenge: unknown): boolean;
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
  const browser: BrowserSessionOptions = {
    origin: publicUrl.origin,
    basePath,
    cookie: app.cookies.bound.name,
    attributes: app.cookies.bound.attributes,
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
    policy,
    browser,
    challenge,
    isCurrent,
    read(request, sid) {
      if (!isAsked) return { binding: UNASKED, isStale: false };
      const proof = proofOf(request);
      if (proof !== undefined) request.log.debug({ jti: proof.id, sid }, 'a refresh had a proof');
      const cookie = app.cookies.bound.read(request, sid);
      const isFirst = proof !== undefined && isCurrent('first', sid, proof.nonce);
      const isFresh = isFirst || (proof !== undefined && isCurrent('proof', sid, proof.nonce));
      return {
        binding: { policy, cookie, proof: isFresh ? proof : undefined, isFirst },
        isStale: proof !== undefined && !isFresh && cookie === undefined,
      };
    },
    startKey,
    refuseMalformed: async (request) => void startKey(request),
    announce(reply, sid, kind) {
      if (isAsked) reply.headers({ 'refresh-binding': kind, 'refresh-nonce': challenge('proof', sid) });
    },
    offer(reply, sid, kind) {
      if (!isAsked) return;
      reply.headers({
        'refresh-binding': kind,
        'refresh-nonce': challenge(kind === 'none' ? 'first' : 'proof', sid),
        'secure-session-registration': registrationHeader(challenge('bind', sid), browser),
      });
    },
    refusalHeaders(request, sid, kind) {
      const hasSkipped = request.headers['secure-session-skipped'] !== undefined;
      return {
        'refresh-nonce': challenge('proof', sid),
        ...(kind !== undefined && { 'refresh-binding': kind }),
        ...(hasSkipped && { 'retry-after': SKIPPED_RETRY_SECONDS }),
      };
    },
    countAddress: (request, reply) => respondOverloaded(reply, limit.countAddress(request, reply)),
    countSession: (request, reply, sid) => respondOverloaded(reply, limit.countSession(request, reply, sid)),
  });
}

/** Decorates the server with `deviceBinding`. */
export default fp(deviceBinding, {
  name: 'tollgate-device-binding',
  fastify: '5.x',
  dependencies: ['tollgate-session-cookies', 'tollgate-rate-limit'],
});
