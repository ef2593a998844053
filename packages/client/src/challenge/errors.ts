// The errors of challenges: a failed request, and a submission without an answer to the image.

/** The details of a response that was not a challenge. */
export interface RequestErrorDetails {
  /** 200 if the service answered with something other than a challenge. */
  readonly status: number;
  /** The service's stable code (`rate_limited`, `store_unavailable` …); null if the body is not the service's. */
  readonly code: string | null;
  /** The value of `Retry-After`; null without one. */
  readonly retryAfterSeconds: number | null;
}

/**
 * A request for a challenge got another answer. `message` is the service's text for people, if it sent one. The status
 * is 404 when `prefix` is not the service's.
 */
export class CaptchaRequestError extends Error implements RequestErrorDetails {
  readonly status: number;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, { status, code, retryAfterSeconds }: RequestErrorDetails) {
    super(message);
    this.name = 'CaptchaRequestError';
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether the service asks the client to wait. */
  get isRateLimited(): boolean {
    return this.status === 429;
  }
}

/** A form was submitted while its image had no answer or had expired. No fields were taken or spent. */
export class CaptchaUnansweredError extends Error {
  /** Whether the image has expired, so that only a new one can be answered. */
  readonly expired: boolean;

  constructor(expired: boolean) {
    super(`The image has ${expired ? 'expired' : 'not been answered'}.`);
    this.name = 'CaptchaUnansweredError';
    this.expired = expired;
  }
}
