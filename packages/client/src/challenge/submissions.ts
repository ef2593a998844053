// Submissions of a form: how many are under way, and sending one with its challenge fields.

import type { ChallengeController } from './controller.js';

type Send = (fields: Record<string, string>) => Promise<Response>;

/**
 * Sends a form with its challenge fields, and again when the response asks for better work.
 * @returns the last response, its body unread
 * @throws what `take` or `send` throws; fields that may have reached the server are not used again in that case either
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

/** A body that is not JSON says nothing about challenges. */
async function readBody(response: Response): Promise<unknown> {
  const copy = response.clone();
  return copy.json().catch(() => undefined);
}

export interface SubmissionCounter {
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
