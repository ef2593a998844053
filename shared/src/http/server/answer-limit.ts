// Gives each request one time limit for all that it waits for on stores that do not answer.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type AnswerLimit, newAnswerLimit } from '../../store/store.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The time that the request may still wait for stores; null until it waits for what it can do without. */
    answerLimit: AnswerLimit | null;
  }
}

async function answerLimit(app: FastifyInstance): Promise<void> {
  // Whatever lets a request go on after a store has failed brings it.
  if (app.hasRequestDecorator('answerLimit')) return;
  app.decorateRequest('answerLimit', null);
}

/**
 * Returns the time limit of a request. A failure of a store ends a request, so most operations need no limit but that of
 * their client. Whoever lets a request go on after a failure waits with `waitForAnswer`, and whatever the request may ask
 * afterwards goes through `underLimit`. An `AsyncLocalStorage` would do without, but on Node 20 and 22 it costs a refresh
 * a tenth of its time.
 */
export function answerLimitOf(request: FastifyRequest): AnswerLimit {
  request.answerLimit ??= newAnswerLimit();
  return request.answerLimit;
}

/** Decorates requests with `answerLimit`. */
export default fp(answerLimit, { name: 'tollgate-answer-limit', fastify: '5.x' });
