// Challenge errors: a failed request, and a submission without an image answer.

/** Details of a response without a challenge. */
interface RequestErrorDetails {
  /** 200 if a success had no challenge in its body. */
  readonly status: number;
  /** Stable error code (`rate_limited`, `store_unavailable` …); null if the body is not from the service. */
  readonly code: string | null;
  /** The value of `Retry-After`; null without one. */
  readonly retryAfterSeconds: number | null;
}

/**
 * A challenge request returned no challenge. `message` is the service's error message, if it sent one. Status 404
 * usually means a wrong `prefix`.
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

  /** Whether the service requires the client to wait. */
  get isRateLimited(): boolean {
    return this.status === 429;
  }
}

/** A form was submitted with an unanswered or expired image. No fields were taken or spent. */
export class CaptchaUnansweredError extends Error {
  /** Whether the image has expired: only a new one can be answered. */
  readonly expired: boolean;

  constructor(expired: boolean) {
    super(`The image has ${expired ? 'expired' : 'not been answered'}.`);
    this.name = 'CaptchaUnansweredError';
    this.expired = expired;
  }
}
