// The errors that both services and the guards share, and how to throw one with what its answer needs.

import { createError } from '@fastify/error';
import type { MessageKey } from '../../messages/en.js';
import type { MessageParams } from '../../messages/messages.js';

/**
 * Defines an error class. Its code in lower case is the code on the wire and the key of its message.
 * No stack is collected: refusals are frequent, and a stack takes time.
 */
export const defineError = <C extends Uppercase<MessageKey>, S extends number>(code: C, status: S) =>
  createError(code, code, status, Error, false);

// The docstring of each class is its meaning in docs/errors.md.

/** The body or the query has the wrong shape. */
export const ValidationFailed = defineError('VALIDATION_FAILED', 422);

/** The body is not JSON, or would change prototypes. */
export const MalformedJson = defineError('MALFORMED_JSON', 400);

/** The body has a media type that the route does not read, or is compressed. */
export const UnsupportedMediaType = defineError('UNSUPPORTED_MEDIA_TYPE', 415);

/** The body is over the limit. */
export const BodyTooLarge = defineError('BODY_TOO_LARGE', 413);

/** The request cannot be understood. */
export const BadRequest = defineError('BAD_REQUEST', 400);

/** There is no such route or thing. */
export const NotFound = defineError('NOT_FOUND', 404);

/** The path has other methods, which `Allow` names. */
export const MethodNotAllowed = defineError('METHOD_NOT_ALLOWED', 405);

/** The request did not arrive in time. */
export const RequestTimeout = defineError('REQUEST_TIMEOUT', 408);

/** The header of the request is over the limit. */
export const HeaderTooLarge = defineError('HEADER_TOO_LARGE', 431);

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

/** The token is missing, malformed, forged or, as an access token, expired. */
export const TokenInvalid = defineError('TOKEN_INVALID', 401);

/** The session was ended, or its refresh token was used twice. */
export const SessionRevoked = defineError('SESSION_REVOKED', 401);

/** The action needs a more recent authentication of the user (RFC 9470): the client calls `POST /reauthenticate`. */
export const InsufficientUserAuthentication = defineError('INSUFFICIENT_USER_AUTHENTICATION', 401);

/** The key is missing or wrong. */
export const ApiKeyInvalid = defineError('API_KEY_INVALID', 401);

/** The proof of work is missing, malformed, wrong or spent. */
export const PowInvalid = defineError('POW_INVALID', 422);

/** The work is right, but cheaper than the account demands by now: the client repeats with better work. */
export const PowInsufficient = defineError('POW_INSUFFICIENT', 422);

/** The answer to the image is malformed, wrong, too fast or spent. */
export const CaptchaInvalid = defineError('CAPTCHA_INVALID', 422);

/** The image is of a preset that this form does not accept. */
export const PresetRefused = defineError('PRESET_REFUSED', 422);

/** The pass of a machine is malformed, unknown, wrong, expired, or of another application. */
export const PassInvalid = defineError('PASS_INVALID', 422);

/** The pass has been used as often as it may be in this minute; `Retry-After` says when it can be used again. */
export const PassExhausted = defineError('PASS_EXHAUSTED', 429);

/** An image is demanded and none was answered. */
export const CaptchaRequired = defineError('CAPTCHA_REQUIRED', 422);

/** This account has to wait at this address; `Retry-After` says how long. */
export const LoginThrottled = defineError('LOGIN_THROTTLED', 429);

/** A text about a field: its message key, or the key with its parameters. */
export type FieldMessage = MessageKey | { readonly key: MessageKey; readonly params: MessageParams };

/** What an answer carries besides the message and the code of its error. */
export interface RefusalDetails {
  /** What is wrong with each field; becomes `errors`. */
  readonly fields?: Readonly<Record<string, readonly FieldMessage[]>>;
  /** Further properties of the body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Parameters of the message. */
  readonly params?: MessageParams;
  /** Why, for logs and histories; never sent. */
  readonly reason?: string;
}

const DETAILS = Symbol('refusal details');

/** A class made by `defineError`. */
export type CodedErrorClass = new () => Error & { code: string; statusCode?: number };

/** Creates an error to throw; the error handler answers it with its code, status, message and `details`. */
export function refuse(
  ErrorClass: CodedErrorClass,
  details: RefusalDetails = {},
): InstanceType<CodedErrorClass> {
  return Object.assign(new ErrorClass(), { [DETAILS]: details });
}

/** Returns the details that `refuse` was given; none for any other error. */
export function detailsOf(error: object): RefusalDetails {
  return (error as { [DETAILS]?: RefusalDetails })[DETAILS] ?? {};
}
