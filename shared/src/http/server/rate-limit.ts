// Limits requests per address and route, with @fastify/rate-limit on our own counters.

import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { createBoundedMap } from '../../cache/bounded-maps.js';
import { addressPseudonym, normaliseAddress } from '../../challenges/attempts/pseudonyms.js';
import type { LimitFactor } from '../../config/limit-ranges.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import { RateLimited, refuse } from '../errors/errors.js';

/** Counts one more for a key; a window begins with its first count. */
export type Count = (key: string, windowMs: number) => Promise<{ count: number; ttlMs: number }>;

/** The options of the plugin. */
interface RateLimits {
  /** Returns the counted address, or its pseudonym, of a request. */
  readonly addressOf: (request: FastifyRequest) => string | Promise<string>;
  /** Counts on the store, for limits that all nodes share; its errors reach the error handler. */
  readonly count?: Count;
  /** Limit factor of an address; 1 for every address by default. */
  readonly factorOf?: LimitFactor;
}

/** Returns the `addressOf` for pseudonyms of normalised addresses. @param ring the keys of `CHALLENGE_SECRET` */
export function byAddress({ current }: KeyRing): RateLimits['addressOf'] {
  return ({ ip }) => addressPseudonym(current, normaliseAddress(ip) ?? '');
}

/** A limit that a route applies itself. Both methods set the headers, and throw RateLimited beyond the limit. */
export interface RequestLimiter {
  /** Counts a request for its address alone. Works as a hook. */
  count(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts a request for its address combined with another key, such as a session. */
  countPart(part: string, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    limits: {
      /** Returns the limit factor of a normalised address. */
      readonly factorOf: LimitFactor;
      /**
       * Returns a limit that a route applies itself: several in one request, in its own order, or after it has determined
       * the key. Set `config.limited` on such a route.
       */
      open(limit: Limit): RequestLimiter;
    };
  }
}

/** A limit. Routes with the same limit share it; HEAD counts separately, in the process. */
interface Limit {
  /** First part of the counter's key. */
  readonly name: string;
  /** Requests per minute and address, before the factor of its range. */
  readonly max: number;
  /** Whether all nodes count together on the store; by default each process counts for itself. */
  readonly shared?: boolean;
  /** The counting hook; `onRequest` by default. */
  readonly hook?: 'onRequest' | 'preValidation' | 'preHandler';
}

const WINDOW_MS = 60_000;

/** HEAD has its own limits, per process: it uses up nothing of GET. */
const HEAD = 'head:';

interface RouteLimit extends RateLimitOptions {
  limit: Limit;
}

/** Returns the `config.rateLimit` of a route. */
export function limitTo(limit: Limit): RouteLimit {
  const max = ({ ip, server }: FastifyRequest) => limit.max * server.limits.factorOf(normaliseAddress(ip));
  return { max, timeWindow: WINDOW_MS, hook: limit.hook ?? 'onRequest', limit };
}

async function limitRates(
  app: FastifyInstance,
  { addressOf, count, factorOf = () => 1 }: RateLimits,
): Promise<void> {
  const countInProcess = createProcessCounter();

  async function countedAs(request: FastifyRequest): Promise<string> {
    const address = await addressOf(request);
    return request.method === 'HEAD' ? `${HEAD}${address}` : address;
  }

  function counterOf(limit: Limit | undefined): Count {
    if (limit?.shared !== true) return countInProcess;
    if (count === undefined)
      throw new TypeError(`the limit ${limit.name} is shared, but there is no counter to share`);
    return count;
  }

  const open = (limit: Limit): RequestLimiter => {
    const countOne = counterOf(limit);
    async function countFor(prefix: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const countIt = request.method === 'HEAD' ? countInProcess : countOne;
      const { count, ttlMs } = await countIt(`${prefix}:${await countedAs(request)}`, WINDOW_MS);
      const max = limit.max * factorOf(normaliseAddress(request.ip));
      const resetSeconds = Math.ceil(ttlMs / 1000);
      reply.headers({
        'ratelimit-limit': max,
        'ratelimit-remaining': Math.max(0, max - count),
        'ratelimit-reset': resetSeconds,
      });
      if (count <= max) return;
      reply.header('retry-after', resetSeconds);
      throw refuse(RateLimited);
    }
    return {
      count: (request, reply) => countFor(limit.name, request, reply),
      countPart: (part, request, reply) => countFor(`${limit.name}:${part}`, request, reply),
    };
  };
  app.decorate('limits', { factorOf, open });

  class CounterStore {
    readonly #name: string;
    readonly #count: Count;

    constructor(params: { limit?: Limit }) {
      this.#name = params.limit?.name ?? '';
      this.#count = counterOf(params.limit);
    }

    incr(
      address: string,
      done: (error: Error | null, result?: { current: number; ttl: number }) => void,
      windowMs: number,
    ): void {
      const count = address.startsWith(HEAD) ? countInProcess : this.#count;
      count(`${this.#name}:${address}`, windowMs).then(
        (result) => done(null, { current: result.count, ttl: result.ttlMs }),
        (error: Error) => done(error),
      );
    }

    child(params: { limit?: Limit }): CounterStore {
      if (params.limit === undefined) throw new TypeError('make the rate limit of a route with limitTo()');
      return new CounterStore(params);
    }
  }

  await app.register(rateLimit, {
    global: false,
    enableDraftSpec: true,
    keyGenerator: countedAs,
    // The plugin has already set Retry-After and the RateLimit headers.
    errorResponseBuilder: () => refuse(RateLimited),
    store: CounterStore as never,
  });
}

const MAX_KEYS = 50_000;

/**
 * Creates a counter in fixed windows in the memory of this process.
 *
 * @param clock milliseconds of a clock that never goes back
 * @param maxKeys most keys; beyond that the oldest window is dropped, so that memory stays bounded
 */
export function createProcessCounter(
  clock: () => number = () => performance.now(),
  maxKeys = MAX_KEYS,
): Count {
  const windows = createBoundedMap<{ count: number; endMs: number }>(maxKeys);
  return async (key, windowMs) => {
    const nowMs = clock();
    let window = windows.get(key);
    if (window === undefined || window.endMs <= nowMs) {
      window = { count: 0, endMs: nowMs + windowMs };
      windows.set(key, window);
    }
    window.count += 1;
    // Rounding of fractions may exceed the window.
    return { count: window.count, ttlMs: Math.min(windowMs, Math.ceil(window.endMs - nowMs)) };
  };
}

/** Register it before the routes whose `config.rateLimit` is made by `limitTo`. */
export default fp(limitRates, { name: 'tollgate-rate-limit', fastify: '5.x' });
