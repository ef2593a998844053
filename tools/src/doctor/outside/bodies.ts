// Checks that bodies and headers of the permitted size reach the services, and larger ones are rejected.

import { type Answer, codeOf, describe } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

interface BodyFacts {
  /** `POST /login` with 8 KiB that are not a valid login. */
  readonly long: Answer;
  /** `POST /login` with 20 KiB. */
  readonly tooLong: Answer;
  /** `GET /profile` with an invalid bearer token of 4,096 characters. */
  readonly longBearer: Answer;
}

/** Sends two invalid bodies and an invalid token. */
export async function probeBodies(client: PublicClient): Promise<BodyFacts> {
  const post = (length: number) =>
    client.send('POST', '/login', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ filler: 'x'.repeat(length) }),
    });
  return {
    long: await post(8 * 1024),
    tooLong: await post(20 * 1024),
    longBearer: await client.send('GET', '/profile', {
      headers: { authorization: `Bearer ${'x'.repeat(4096)}` },
    }),
  };
}

/** The services accept bodies up to 16 KiB and reject larger ones with 413. */
export function diagnoseBodies({ long, tooLong, longBearer }: BodyFacts): Finding[] {
  const found: Finding[] = [];
  if (codeOf(long) !== 'validation_failed' && codeOf(long) !== 'rate_limited') {
    found.push(
      problem(
        'body_refused',
        `A body of 8 KiB does not reach the session service; response: ${describe(long)}.`,
        'Let the gateway accept bodies of at least 16 KiB.',
      ),
    );
  }
  if (tooLong.status !== 413) {
    found.push(
      warning(
        'body_unlimited',
        `A body of 20 KiB is not rejected with 413; response: ${describe(tooLong)}.`,
        'Let the gateway pass bodies on unchanged; the services reject more than 16 KiB.',
      ),
    );
  }
  if (codeOf(longBearer) !== 'token_invalid' && codeOf(longBearer) !== 'rate_limited') {
    found.push(
      problem(
        'header_refused',
        `A header of 4 KiB does not reach the session service; response: ${describe(longBearer)}.`,
        'Let the gateway accept headers of at least 8 KiB: tokens with long emails need them.',
      ),
    );
  }
  return found.length > 0 ? found : [good('bodies', 'Bodies and headers pass up to their limits.')];
}
