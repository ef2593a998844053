// How a guarded route refuses: as the application decides, else with a page for browsers and JSON for programs.

import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../schemas/error-body.js';
import { StoreUnavailableError } from '../../store/store.js';
import { isForeseen } from '../errors/error-answer.js';
import { explainError } from '../errors/error-handler.js';
import { refuse, StoreUnavailable } from '../errors/errors.js';
import { localise } from '../errors/language.js';
import { errorBody, sendError } from '../errors/send-error.js';
import { prefersPage, sendRefusalPage } from './refusal-page.js';

/** A refused submission. */
export interface ChallengeRefusal {
  readonly ok: false;
  readonly status: 422;
  /** What a program is answered: `message`, `code`, `errors`, `captcha_required` and what else the next attempt needs. */
  readonly body: ErrorBody & Readonly<Record<string, unknown>>;
}

/** What the guards of a route said. */
export type ChallengeVerdict = { readonly ok: true } | ChallengeRefusal;

/**
 * Answers a refused submission; what it returns is sent, with status 422 unless it sets another. The texts of `refusal`
 * are in the language of the request.
 */
export type OnRefused = (request: FastifyRequest, reply: FastifyReply, refusal: ChallengeRefusal) => unknown;

/** The error handler of a guarded route. Errors that nobody foresaw go on to the application's own. */
export async function answerGuarded(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { name } = request.server.errorHandler;
  const isFrameworks = name === 'defaultErrorHandler';
  const isApplications = !isFrameworks && name !== 'bound answerError';
  if (!isForeseen(error)) {
    if (isFrameworks && request.challengeVerdict?.ok && isClientError(error.statusCode)) {
      return answerAsFramework(error, reply);
    }
    throw error;
  }
  const { answer, extension } = await explainError(error, request);
  const language = localise(request, reply);
  const body = errorBody(answer, language, extension);
  if (answer.status === 422) {
    const refusal: ChallengeRefusal = { ok: false, status: 422, body };
    request.challengeVerdict = refusal;
    const { onRefused } = request.routeOptions.config;
    if (onRefused !== undefined) return onRefused(request, reply.code(422), refusal);
  }
  if (isApplications) {
    const { headers = {} } = answer.details;
    reply.headers(headers);
    throw error instanceof StoreUnavailableError
      ? refuse(StoreUnavailable, { headers })
      : Object.assign(error, error.validation === undefined ? { message: body.message } : {});
  }
  if (prefersPage(request)) return sendRefusalPage(reply, answer, body, language);
  return sendError(request, reply, answer, extension);
}

/** Says whether an answer of the route is a refusal that does not say yet what the next attempt needs. */
export function needsRequirements(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): payload is Record<string, unknown> {
  const isRefusal = isClientError(reply.statusCode) && request.challengeVerdict !== null;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  return isRefusal && isObject && !('captcha_required' in payload);
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

/** As Fastify answers it, but through the hooks of the route. */
function answerAsFramework(error: FastifyError, reply: FastifyReply): FastifyReply {
  const { statusCode = 400, code, message } = error;
  return reply.code(statusCode).send({
    statusCode,
    ...(code === undefined ? {} : { code }),
    error: STATUS_CODES[statusCode],
    message,
  });
}
