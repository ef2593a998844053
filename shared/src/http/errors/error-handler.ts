// Sends a localised message and a stable code for every failed request.

import { FastifyError as FastifyErrorClass } from '@fastify/error';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import fp from 'fastify-plugin';
import type { MessageKey } from '../../messages/en.js';
import { isMessageKey } from '../../messages/messages.js';
import { StoreUnavailableError } from '../../store/store.js';
import {
  BadRequest,
  BodyTooLarge,
  type CodedErrorClass,
  detailsOf,
  InternalError,
  MalformedJson,
  NotFound,
  Overloaded,
  RateLimited,
  refuse,
  StoreUnavailable,
  UnsupportedMediaType,
  ValidationFailed,
} from './errors.js';
import { answerConnect, type ErrorAnswer, sendError } from './send-error.js';
import { fieldsOf } from './validation-fields.js';

const STORE_RETRY_SECONDS = 1;

/** A rejected request, as `extendError` of its route sees it. */
interface RefusedRequest {
  readonly statusCode: number;
  /** As on the wire: lower snake case. */
  readonly code: MessageKey;
  /** Properties that the error itself adds to the body; they override those of the route. */
  readonly body: Readonly<Record<string, unknown>>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Returns properties to add to the body of a 4xx response of this route. An error thrown here replaces the response, so
     * an unreachable store becomes a 503.
     */
    extendError?: (
      request: FastifyRequest,
      error: RefusedRequest,
    ) => Promise<Readonly<Record<string, unknown>> | undefined>;
  }
}

async function answerErrors(app: FastifyInstance): Promise<void> {
  app.setErrorHandler(answerError);
  app.server.on('connect', answerConnect);

  app.setNotFoundHandler((request, reply) => {
    const answer = answerTo(refuse(NotFound));
    logError(request, answer, undefined);
    return sendError(request, reply, answer);
  });
}

/** The error handler itself, for a server or a single route. */
export async function answerError(
  thrown: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { answer, extension } = await resolveAnswer(thrown, request);
  return sendError(request, reply, answer, extension);
}

/** Returns the response to a thrown value and the properties that `extendError` of the route adds; logs the failure. */
export async function resolveAnswer(
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

/** Logs nothing of the request, and of the thrown value only a store's message, or everything if it was unexpected. */
function logError(request: FastifyRequest, { status, code }: ErrorAnswer, thrown: unknown): void {
  const route = request.routeOptions.url;
  if (status < 500) request.log.debug({ route, code }, 'refused');
  else if (code === 'internal_error') request.log.error({ route, code, err: thrown }, 'failed');
  else if (thrown instanceof StoreUnavailableError)
    request.log.error({ route, code, reason: thrown.message }, 'failed');
  else request.log.error({ route, code }, 'failed');
}

const frameworkErrors = new Map<unknown, CodedErrorClass>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', BodyTooLarge],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', UnsupportedMediaType],
  ['FST_ERR_CTP_INVALID_JSON_BODY', MalformedJson],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', MalformedJson],
  // Every id is shorter than this limit, so a longer parameter cannot exist.
  ['FST_ERR_MAX_PARAM_LENGTH', NotFound],
]);

const statusErrors = new Map<unknown, CodedErrorClass>([
  [404, NotFound],
  [413, BodyTooLarge],
  [415, UnsupportedMediaType],
  [429, RateLimited],
  [503, Overloaded],
]);

/** Returns the response to a thrown value; `internal_error` for an unexpected one. */
export function answerTo(thrown: unknown): ErrorAnswer {
  const coded = thrown instanceof FastifyErrorClass ? readCoded(thrown) : undefined;
  if (coded !== undefined) return coded;
  return readCoded(translate(thrown)) ?? { status: 500, code: 'internal_error', details: {} };
}

/** Returns whether a thrown value is expected: one of our errors, or one of the store or the schema validator. */
export function isExpectedError(thrown: unknown): boolean {
  if (thrown instanceof StoreUnavailableError) return true;
  if (thrown instanceof FastifyErrorClass && readCoded(thrown) !== undefined) return true;
  return typeof thrown === 'object' && thrown !== null && Array.isArray((thrown as ForeignError).validation);
}

function readCoded(error: { code: string; statusCode?: number }): ErrorAnswer | undefined {
  const code = error.code.toLowerCase();
  if (!isMessageKey(code)) return undefined;
  return { status: error.statusCode ?? 500, code, details: detailsOf(error) };
}

/** Returns our error for an error of the framework, a plugin, the store or unknown code. */
function translate(thrown: unknown): { code: string; statusCode?: number } {
  if (thrown instanceof StoreUnavailableError) {
    return refuse(StoreUnavailable, { headers: { 'retry-after': STORE_RETRY_SECONDS } });
  }
  if (typeof thrown !== 'object' || thrown === null) return refuse(InternalError);
  const { code, statusCode, validation, validationContext } = thrown as ForeignError;
  if (Array.isArray(validation)) {
    // A malformed path parameter cannot exist.
    if (validationContext === 'params') return refuse(NotFound);
    const whole = validationContext === 'querystring' ? 'query' : (validationContext ?? 'body');
    return refuse(ValidationFailed, { fields: fieldsOf(validation, whole) });
  }
  const known = frameworkErrors.get(code) ?? statusErrors.get(statusCode);
  if (known !== undefined) return refuse(known);
  const isClientError = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return refuse(isClientError ? BadRequest : InternalError);
}

interface ForeignError {
  readonly code?: unknown;
  readonly statusCode?: unknown;
  readonly validation?: FastifySchemaValidationError[];
  readonly validationContext?: string;
}

/** Sets the error handler and the not-found handler of the server. Register it before the routes. */
export default fp(answerErrors, { name: 'tollgate-errors', fastify: '5.x' });
