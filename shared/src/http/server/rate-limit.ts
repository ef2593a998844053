// Limits how often an address may call a route, with @fastify/rate-limit over a counter of ours.

import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimited, refuse } from '../errors/errors.js';
import { type Count, createProcessCounter } from './process-counter.js';

/** What the limits count, and where. */
export interface RateLimits {
  /** The (keyed) address that a request counts for. */
  readonly addressOf: (request: FastifyRequest) => string | Promise<string>;
  /** Counter on the store, for limits that every node shares; what it throws reaches the error handler. */
  readonly count?: Count;
}

/** One limit. Routes that name the same limit share it. */
export interface Limit {
  /** First part of the counter's key. */
  readonly name: string;
  /** Requests per minute and address. */
  readonly max: number;
  /** Whether it is counted on the store, by all nodes together; otherwise in this process. */
  readonly shared?: boolean;
  /** When it is counted: before anything else by default. */
  readonly hook?: 'onRequest' | 'preValidation' | 'preHandler';
}

const WINDOW_MS = 60_000;

interface RouteLimit extends RateLimitOptions {
  limit: Limit;
}

/** The limit as the `config.rateLimit` of a route. */
export function limitTo(limit: Limit): RouteLimit {
  return { max: limit.max, timeWindow: WINDOW_MS, hook: limit.hook ?? 'onRequest', limit };
}

async function limitRates(app: FastifyInstance, { addressOf, count }: RateLimits): Promise<void> {
  const countHere = createProcessCounter();

  class CounterStore {
    readonly #name: string;
    readonly #count: Count;

    constructor(params: { limit?: Limit }) {
      this.#name = params.limit?.name ?? '';
      if (params.limit?.shared === true && count === undefined) {
        throw new TypeError(`the limit ${this.#name} is shared, but there is no counter to share`);
      }
      this.#count = params.limit?.shared === true && count !== undefined ? count : countHere;
    }

    incr(
      address: string,
      done: (error: Error | null, result?: { current: number; ttl: number }) => void,
      windowMs: number,
    ): void {
      this.#count(`${this.#name}:${address}`, windowMs).then(
        (result) => done(null, { current: result.count, ttl: result.ttlMs }),
        (error: Error) => done(error),
      );
    }

    child(params: { limit?: Limit }): CounterStore {
      if (params.limit === undefined) throw new TypeError('a rate limit of a route is made with limitTo()');
      return new CounterStore(params);
    }
  }

  await app.register(rateLimit, {
    global: false,
    enableDraftSpec: true,
    keyGenerator: addressOf,
    // The plugin has set Retry-After and the RateLimit headers by then.
    errorResponseBuilder: () => refuse(RateLimited),
    store: CounterStore as never,
  });
}

/** Register it before the routes whose `config.rateLimit` is made by `limitTo`. */
export default fp(limitRates, { name: 'tollgate-rate-limit', fastify: '5.x' });
