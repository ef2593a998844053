// Reads what the session service answers.

import type { TokenBody } from '../wire.js';
import { SessionError } from './errors.js';
import { retryAfterMs } from './refresh-schedule.js';

/**
 * @throws {SessionError} `invalid_answer` when the body is none
 * @throws what `fetch` throws when the body does not arrive whole
 */
export async function readTokenBody(response: Response): Promise<TokenBody> {
  const body = parse(await response.text());
  if (typeof body?.accessToken === 'string' && body.expiresIn > 0) return body;
  throw new SessionError('invalid_answer', response.status);
}

/** What a refusal says. */
export async function readRefusal(response: Response, nowMs: number): Promise<SessionError> {
  const code = parse(await response.text().catch(() => ''))?.code;
  return new SessionError(
    typeof code === 'string' ? code : `http_${response.status}`,
    response.status,
    retryAfterMs(response.headers.get('retry-after'), nowMs),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: whatever came over the wire
function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
