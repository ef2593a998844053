// Whether the gateway lets through what is as long as it may be, and the services refuse what is longer.

import { type Answer, codeOf, describe } from '../answer.js';
import { type Finding, good, problem, warning } from '../finding.js';

export interface BodyFacts {
  /** `POST /login` with 8 KiB that are no log-in. */
  readonly long: Answer;
  /** `POST /login` with 20 KiB. */
  readonly tooLong: Answer;
  /** `GET /profile` with a bearer of 4,096 characters that is none. */
  readonly longBearer: Answer;
}

/** Sizes (decisions 1). */
export function diagnoseBodies({ long, tooLong, longBearer }: BodyFacts): Finding[] {
  const found: Finding[] = [];
  if (codeOf(long) !== 'validation_failed' && codeOf(long) !== 'rate_limited') {
    found.push(
      problem(
        'body_refused',
        `A body of 8 KiB does not reach the session service: the answer is ${describe(long)}.`,
        'Let the gateway pass bodies of at least 16 KiB on.',
      ),
    );
  }
  if (tooLong.status !== 413) {
    found.push(
      warning(
        'body_unlimited',
        `A body of 20 KiB is not refused with 413: the answer is ${describe(tooLong)}.`,
        'Let the gateway pass bodies on unchanged; the services refuse more than 16 KiB.',
      ),
    );
  }
  if (codeOf(longBearer) !== 'token_invalid' && codeOf(longBearer) !== 'rate_limited') {
    found.push(
      problem(
        'header_refused',
        `A header of 4 KiB does not reach the session service: the answer is ${describe(longBearer)}.`,
        'Let the gateway pass headers of at least 8 KiB on: tokens with long emails need room.',
      ),
    );
  }
  return found.length > 0 ? found : [good('bodies', 'Bodies and headers pass up to their limits.')];
}
