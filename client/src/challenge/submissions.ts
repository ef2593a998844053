// Sends a form with its challenges, and once more when better work is asked for.

import type { ChallengeController } from './controller.js';

type Send = (fields: Record<string, string>) => Promise<Response>;

/**
 * @returns the last response, its body unread
 * @throws what `take` or `send` throws; challenges that may have reached the host are made anew all the same
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

/** A body that is no JSON says nothing about challenges. */
async function readBody(response: Response): Promise<unknown> {
  const copy = response.clone();
  return copy.json().catch(() => undefined);
}
