// Calls session-service: two tries within one time limit.

/** Options of calls. */
export interface CallOptions {
  /** Time limit of a check with both tries, in milliseconds; 3000 by default. */
  readonly timeout?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** No verdict: session-service is away, slow or failing, or not configured for pages. Nobody is logged out. */
export class SessionUnavailableError extends Error {
  override readonly name = 'SessionUnavailableError';
  /** For frameworks that respond with the status of an error. */
  readonly status = 503;
}

/**
 * Sends a GET request, and a second one if session-service does not respond or responds with 429 or 5xx.
 * @throws SessionUnavailableError without a response
 */
export async function callService(
  url: string,
  headers: Readonly<Record<string, string>>,
  { timeout = 3000, fetch: send = fetch }: CallOptions,
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  for (let isLast = false; ; isLast = true) {
    let reason: string;
    try {
      // A redirect would pass on the cookie; not every runtime has `error`.
      const signal = AbortSignal.timeout(Math.ceil(timeout / 2));
      const response = await send(url, { headers, redirect: 'manual', signal });
      const { status } = response;
      const text = await response.text();
      if (status !== 429 && status < 500) return { status, headers: response.headers, text };
      reason = `status ${status}`;
    } catch (error) {
      reason = String(error);
    }
    if (isLast) throw new SessionUnavailableError(`${url}: ${reason}`);
  }
}
