// The errors that both services and the guards share, and how to throw one with details.

import { createError } from '@fastify/error';
import type { MessageKey } from '../../messages/en.js';
import type { MessageParams } from '../../messages/messages.js';

/**
 * Defines an error class. Its code in lower case is the code on the wire and the key of its message.
 * No stack is collected: rejections are frequent, and a stack takes time.
 */
export const defineError = <C extends Uppercase<MessageKey>, S extends number>(code: C, status: S) =>
  createError(code, code, status, Error, false);

// The docstring of each class is its meaning in docs/errors.md.

/** Body or query has the wrong shape. */
export const ValidationFailed = defineError('VALIDATION_FAILED', 422);

/** The body is not JSON, or would change prototypes. */
export const MalformedJson = defineError('MALFORMED_JSON', 400);

/** Media type or compression is not accepted. */
export const UnsupportedMediaType = defineError('UNSUPPORTED_MEDIA_TYPE', 415);

/** The body exceeds the limit. */
export const BodyTooLarge = defineError('BODY_TOO_LARGE', 413);

/** The request cannot be parsed. */
export const BadRequest = defineError('BAD_REQUEST', 400);

/** Unknown or disabled route, or unknown resource. */
export const NotFound = defineError('NOT_FOUND', 404);

/** `Allow` lists the methods of the path. */
export const MethodNotAllowed = defineError('METHOD_NOT_ALLOWED', 405);

/** The request did not arrive in time. */
export const RequestTimeout = defineError('REQUEST_TIMEOUT', 408);

/** The header exceeds the limit. */
export const HeaderTooLarge = defineError('HEADER_TOO_LARGE', 431);

/** Too many requests from this address or session. */
export const RateLimited = defineError('RATE_LIMITED', 429);

/** The request comes from another site. */
export const OriginRefused = defineError('ORIGIN_REFUSED', 403);

/** Store or directory is unreachable; wait for `Retry-After`. No cookie changed. */
export const StoreUnavailable = defineError('STORE_UNAVAILABLE', 503);

/** A queue is full; wait for `Retry-After`. */
export const Overloaded = defineError('OVERLOADED', 503);

/** Unexpected error; the log has the reason. */
export const InternalError = defineError('INTERNAL_ERROR', 500);

/** Token or cookie is missing, malformed or forged, or the access token has expired. */
export const TokenInvalid = defineError('TOKEN_INVALID', 401);

/** The session was ended: by a logout, token reuse, another key, or with its user. */
export const SessionRevoked = defineError('SESSION_REVOKED', 401);

/** A more recent authentication is required (RFC 9470): call `POST /reauthenticate`. */
export const InsufficientUserAuthentication = defineError('INSUFFICIENT_USER_AUTHENTICATION', 401);

/** Missing or wrong `SESSION_API_KEY`. */
export const ApiKeyInvalid = defineError('API_KEY_INVALID', 401);

/** The proof of work is missing, malformed, wrong or spent. */
export const PowInvalid = defineError('POW_INVALID', 422);

/** The account now requires more work: repeat with new work. */
export const PowInsufficient = defineError('POW_INSUFFICIENT', 422);

/** The image answer is malformed, wrong, too fast or spent. */
export const CaptchaInvalid = defineError('CAPTCHA_INVALID', 422);

/** The form does not accept the preset of this image. */
export const PresetRefused = defineError('PRESET_REFUSED', 422);

/** The pass is malformed, unknown, wrong, expired, or of another application. */
export const PassInvalid = defineError('PASS_INVALID', 422);

/** The pass is used too often in this minute; wait for `Retry-After`. */
export const PassExhausted = defineError('PASS_EXHAUSTED', 429);

/** An image is required. */
export const CaptchaRequired = defineError('CAPTCHA_REQUIRED', 422);

/** The account must wait at this address for `Retry-After`. */
export const LoginThrottled = defineError('LOGIN_THROTTLED', 429);

/** A message about a field: its key, or the key with its parameters. */
export type FieldMessage = MessageKey | { readonly key: MessageKey; readonly params: MessageParams };

/** The properties of an error response besides the message and the code. */
export interface RefusalDetails {
  /** The mistakes by field; becomes `errors`. */
  readonly fields?: Readonly<Record<string, readonly FieldMessage[]>>;
  /** Further properties of the body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Parameters of the message. */
  readonly params?: MessageParams;
  /** The reason, for logs and histories; never sent. */
  readonly reason?: string;
}

const DETAILS = Symbol('refusal details');

/** A class made by `defineError`. */
export type CodedErrorClass = new () => Error & { code: string; statusCode?: number };

/** Creates an error to throw; the error handler responds with its code, status, message and `details`. */
export function refuse(
  ErrorClass: CodedErrorClass,
  details: RefusalDetails = {},
): InstanceType<CodedErrorClass> {
  return Object.assign(new ErrorClass(), { [DETAILS]: details });
}

/** Returns the details passed to `refuse`; none for any other error. */
export function detailsOf(error: object): RefusalDetails {
  return (error as { [DETAILS]?: RefusalDetails })[DETAILS] ?? {};
}
