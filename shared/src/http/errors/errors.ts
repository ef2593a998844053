// The errors that both services share, and how to throw one with what its answer needs.

import type { MessageKey } from '../../messages/en.js';
import type { MessageParams } from '../../messages/messages.js';
import { defineError } from './define-error.js';

/** The body or the query has the wrong shape. */
export const ValidationFailed = defineError('VALIDATION_FAILED', 422);

/** The body is not JSON, or would change prototypes. */
export const MalformedJson = defineError('MALFORMED_JSON', 400);

/** The body has a media type that the route does not read. */
export const UnsupportedMediaType = defineError('UNSUPPORTED_MEDIA_TYPE', 415);

/** The body is over the limit. */
export const BodyTooLarge = defineError('BODY_TOO_LARGE', 413);

/** The request cannot be understood. */
export const BadRequest = defineError('BAD_REQUEST', 400);

/** There is no such route or thing. */
export const NotFound = defineError('NOT_FOUND', 404);

/** Too many requests from this address. */
export const RateLimited = defineError('RATE_LIMITED', 429);

/** The request comes from another site. */
export const OriginRefused = defineError('ORIGIN_REFUSED', 403);

/** The store is out of reach; `Retry-After` says when to try again. */
export const StoreUnavailable = defineError('STORE_UNAVAILABLE', 503);

/** A queue is full; `Retry-After` says when to try again. */
export const Overloaded = defineError('OVERLOADED', 503);

/** A mistake of ours; the log has the reason. */
export const InternalError = defineError('INTERNAL_ERROR', 500);

/** A text about a field: its key, or its key and parameters. */
export type FieldMessage = MessageKey | { readonly key: MessageKey; readonly params: MessageParams };

/** What an answer carries beside the message and the code of its error. */
export interface RefusalDetails {
  /** What is wrong with each field; becomes `errors`. */
  readonly fields?: Readonly<Record<string, readonly FieldMessage[]>>;
  /** Further properties of the body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Parameters of the message. */
  readonly params?: MessageParams;
}

const DETAILS = Symbol('refusal details');

/** A class made with `@fastify/error`; its code in lower case must be the key of a message. */
export type CodedErrorClass = new () => Error & { code: string; statusCode?: number };

/** Makes an error to throw. */
export function refuse(
  ErrorClass: CodedErrorClass,
  details: RefusalDetails = {},
): InstanceType<CodedErrorClass> {
  return Object.assign(new ErrorClass(), { [DETAILS]: details });
}

/** What was handed to `refuse`. */
export function detailsOf(error: object): RefusalDetails {
  return (error as { [DETAILS]?: RefusalDetails })[DETAILS] ?? {};
}
