// Gives each request one time limit for all its waits for unresponsive stores.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type AnswerLimit, newAnswerLimit } from '../../store/store.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The remaining time of the request to wait for stores; null until it waits for an optional result. */
    answerLimit: AnswerLimit | null;
  }
}

async function answerLimit(app: FastifyInstance): Promise<void> {
  // Plugins that let a request continue after a store failure register it.
  if (app.hasRequestDecorator('answerLimit')) return;
  app.decorateRequest('answerLimit', null);
}

/**
 * Returns the time limit of a request. A store failure ends a request, so most operations need only the limit of their
 * client. Code that lets a request continue after a failure waits with `waitForAnswer`, and later operations of the request
 * go through `underLimit`. An `AsyncLocalStorage` would avoid that, but on Node 20 and 22 it costs a refresh a tenth of its
 * time.
 */
export function answerLimitOf(request: FastifyRequest): AnswerLimit {
  request.answerLimit ??= newAnswerLimit();
  return request.answerLimit;
}

/** Decorates requests with `answerLimit`. */
export default fp(answerLimit, { name: 'tollgate-answer-limit', fastify: '5.x' });
