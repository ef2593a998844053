// Answers every failed request with a localised message and a stable code.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { MessageKey } from '../../messages/en.js';
import { answerTo } from './error-answer.js';
import { NotFound, refuse } from './errors.js';
import { type ErrorAnswer, sendError } from './send-error.js';

/** A refused request, as a route that adds to its answers sees it. */
export interface RefusedRequest {
  readonly statusCode: number;
  /** As on the wire: lower snake case. */
  readonly code: MessageKey;
  /** What the error itself adds to the body; it wins over what the route adds. */
  readonly body: Readonly<Record<string, unknown>>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Gives properties to add to the body of a 4xx answer of this route. What it throws replaces the answer, so
     * that a store out of reach becomes a 503.
     */
    extendError?: (
      request: FastifyRequest,
      error: RefusedRequest,
    ) => Promise<Readonly<Record<string, unknown>> | undefined>;
  }
}

async function answerErrors(app: FastifyInstance): Promise<void> {
  app.setErrorHandler(answerError);

  app.setNotFoundHandler((request, reply) => {
    const answer = answerTo(refuse(NotFound));
    logError(request, answer, undefined);
    return sendError(request, reply, answer);
  });
}

/** Answers what was thrown; an error handler for a server or a single route. */
export async function answerError(
  thrown: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { answer, extension } = await explainError(thrown, request);
  return sendError(request, reply, answer, extension);
}

/** What is answered to something thrown, and what its route adds to that; tells the log. */
export async function explainError(
  thrown: unknown,
  request: FastifyRequest,
): Promise<{ answer: ErrorAnswer; extension: Readonly<Record<string, unknown>> | undefined }> {
  let answer = answerTo(thrown);
  logError(request, answer, thrown);
  let extension: Readonly<Record<string, unknown>> | undefined;
  try {
    extension = await extensionFor(request, answer);
  } catch (failure) {
    answer = answerTo(failure);
    logError(request, answer, failure);
  }
  return { answer, extension };
}

async function extensionFor(
  request: FastifyRequest,
  { status, code, details }: ErrorAnswer,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (status >= 500) return undefined;
  const error = { statusCode: status, code, body: details.body ?? {} };
  return request.routeOptions.config.extendError?.(request, error);
}

/** Nothing of the request is logged; what was thrown only where nobody foresaw it. */
function logError(request: FastifyRequest, { status, code }: ErrorAnswer, thrown: unknown): void {
  const route = request.routeOptions.url;
  if (status < 500) request.log.debug({ route, code }, 'refused');
  else if (code === 'internal_error') request.log.error({ route, code, err: thrown }, 'failed');
  else request.log.error({ route, code }, 'failed');
}

export default fp(answerErrors, { name: 'tollgate-errors', fastify: '5.x' });
