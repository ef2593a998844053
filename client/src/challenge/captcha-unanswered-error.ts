// What is thrown when a form is submitted while its image waits for the person.

/** The image has not been answered, or has expired: nothing was handed out, nothing is spent. */
export class CaptchaUnansweredError extends Error {
  /** Whether only a new image can be answered. */
  readonly expired: boolean;

  constructor(expired: boolean) {
    super(
      expired ? 'The image has expired; a new one must be answered.' : 'The image has not been answered.',
    );
    this.name = 'CaptchaUnansweredError';
    this.expired = expired;
  }
}
