// Form submissions: counts those in flight, and sends one with its challenge fields.

import type { ChallengeController } from './controller.js';

type Send = (fields: Record<string, string>) => Promise<Response>;

/**
 * Sends a form with its challenge fields, and again when the response requires harder work.
 * @returns the last response with an unread body
 * @throws errors of `take` and `send`; even then, fields that may have reached the server are not reused
 */
export async function submitForm(
  { take, settle }: Pick<ChallengeController, 'take' | 'settle'>,
  send: Send,
): Promise<Response> {
  for (;;) {
    const fields = await take();
    let response: Response;
    try {
      response = await send(fields);
    } catch (error) {
      await settle(undefined);
      throw error;
    }
    const isRepeated = await settle(response.ok ? null : await readBody(response));
    if (!isRepeated) return response;
  }
}

/** Other bodies than JSON have no challenge fields. */
async function readBody(response: Response): Promise<unknown> {
  const copy = response.clone();
  return copy.json().catch(() => undefined);
}

interface SubmissionCounter {
  readonly isZero: boolean;
  /** Counts a submission until it settles. @returns the same result */
  add<T>(submission: Promise<T>): Promise<T>;
}

export function countSubmissions(): SubmissionCounter {
  let count = 0;
  return {
    get isZero() {
      return count === 0;
    },
    add(submission) {
      count += 1;
      return submission.finally(() => {
        count -= 1;
      });
    },
  };
}
