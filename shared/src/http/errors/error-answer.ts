// Gives everything that can be thrown while answering a request one of the errors with a code of ours.

import { FastifyError } from '@fastify/error';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
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
import type { ErrorAnswer } from './send-error.js';
import { fieldsOf } from './validation-fields.js';

const STORE_RETRY_SECONDS = 1;

const frameworkErrors = new Map<unknown, CodedErrorClass>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', BodyTooLarge],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', UnsupportedMediaType],
  ['FST_ERR_CTP_INVALID_JSON_BODY', MalformedJson],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', MalformedJson],
  // No route has a parameter that long: what it names does not exist.
  ['FST_ERR_MAX_PARAM_LENGTH', NotFound],
]);

const statusErrors = new Map<unknown, CodedErrorClass>([
  [404, NotFound],
  [413, BodyTooLarge],
  [415, UnsupportedMediaType],
  [429, RateLimited],
  [503, Overloaded],
]);

/** The answer to something thrown; what nobody foresaw is `internal_error`. */
export function answerTo(thrown: unknown): ErrorAnswer {
  const own = thrown instanceof FastifyError ? read(thrown) : undefined;
  if (own !== undefined) return own;
  return read(foreign(thrown)) ?? { status: 500, code: 'internal_error', details: {} };
}

/** Says whether a thrown error is one of ours, of the store, or of the schema validator. */
export function isForeseen(thrown: unknown): boolean {
  if (thrown instanceof StoreUnavailableError) return true;
  if (thrown instanceof FastifyError && read(thrown) !== undefined) return true;
  return typeof thrown === 'object' && thrown !== null && Array.isArray((thrown as ForeignError).validation);
}

function read(error: { code: string; statusCode?: number }): ErrorAnswer | undefined {
  const code = error.code.toLowerCase();
  if (!isMessageKey(code)) return undefined;
  return { status: error.statusCode ?? 500, code, details: detailsOf(error) };
}

/** One of our errors for one of the framework, of a plugin, of the store, or of nobody. */
function foreign(thrown: unknown): { code: string; statusCode?: number } {
  if (thrown instanceof StoreUnavailableError) {
    return refuse(StoreUnavailable, { headers: { 'retry-after': STORE_RETRY_SECONDS } });
  }
  if (typeof thrown !== 'object' || thrown === null) return refuse(InternalError);
  const { code, statusCode, validation, validationContext } = thrown as ForeignError;
  if (Array.isArray(validation)) {
    // A path that no thing can have names nothing.
    if (validationContext === 'params') return refuse(NotFound);
    const whole = validationContext === 'querystring' ? 'query' : (validationContext ?? 'body');
    return refuse(ValidationFailed, { fields: fieldsOf(validation, whole) });
  }
  const known = frameworkErrors.get(code) ?? statusErrors.get(statusCode);
  if (known !== undefined) return refuse(known);
  const isOfClient = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return refuse(isOfClient ? BadRequest : InternalError);
}

interface ForeignError {
  readonly code?: unknown;
  readonly statusCode?: unknown;
  readonly validation?: FastifySchemaValidationError[];
  readonly validationContext?: string;
}
