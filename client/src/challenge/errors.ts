// What is thrown when the challenge service does not hand out a challenge.

/** What an answer other than a challenge said. */
export interface RequestRefusal {
  /** 200 when the answer was no challenge. */
  readonly status: number;
  /** The service's stable code (`rate_limited`, `store_unavailable` …); null when the body was not the service's. */
  readonly code: string | null;
  /** What `Retry-After` said; null without one. */
  readonly retryAfterSeconds: number | null;
}

/**
 * A request for a challenge was answered with something else. `message` is the service's text for people, where it
 * sent one. The status is 404 when `prefix` is not the service's.
 */
export class CaptchaRequestError extends Error implements RequestRefusal {
  readonly status: number;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, { status, code, retryAfterSeconds }: RequestRefusal) {
    super(message);
    this.name = 'CaptchaRequestError';
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether the service asks to stop and wait. */
  get isRateLimited(): boolean {
    return this.status === 429;
  }
}
