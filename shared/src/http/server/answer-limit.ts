// Gives each request one time limit for all that it waits for on stores that do not answer.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type AnswerLimit, newAnswerLimit, withAnswerLimit } from '../../store/answer-limit.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The time that the request may still wait for stores; null before its first hook. */
    answerLimit: AnswerLimit | null;
  }
}

async function answerLimit(app: FastifyInstance): Promise<void> {
  // The guards of an application may both bring it.
  if (app.hasRequestDecorator('answerLimit')) return;
  app.decorateRequest('answerLimit', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.answerLimit = newAnswerLimit();
    withAnswerLimit(request.answerLimit, done);
  });
  // The end of a body continues the request in another asynchronous context.
  app.addHook('preValidation', (request, _reply, done) => {
    withAnswerLimit(request.answerLimit ?? newAnswerLimit(), done);
  });
}

/** Limits how long a request waits for stores. Register it before what asks a store. */
export default fp(answerLimit, { name: 'tollgate-answer-limit', fastify: '5.x' });
