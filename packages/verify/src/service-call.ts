// Calls the service: several tries within one time limit.

import { type Unavailable, unavailable } from './verdict.js';

/** Options of both modes. */
export interface CallOptions {
  /** Time limit of a verification with all its tries, in milliseconds; 3000 by default. */
  readonly timeout?: number | undefined;
  /** Tries after the first one, if the service does not respond or responds with 429, 5xx or `internal-error`; 1 by default. */
  readonly retries?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** A request to the service. */
interface ServiceRequest {
  readonly url: string;
  readonly method?: 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
  readonly signal?: AbortSignal | null | undefined;
}

/** The service's response. */
interface ServiceResponse {
  /** 0 without a response. */
  readonly status: number;
  /** Only with status 200 and `success: true`. */
  readonly isAccepted: boolean;
  /** Empty if the body is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The outcome if the response is no verdict. */
  readonly failure: Unavailable;
}

const PAUSE_MS = 100;
const MAX_REASON_CHARACTERS = 200;

/**
 * Sends a request until the service responds, at most `retries` more times. A try may take its share of the remaining time,
 * so that one lost response leaves time for another try. Rejects only if the request cannot be serialised.
 */
export async function callService(
  { url, method = 'POST', headers, body, signal }: ServiceRequest,
  { timeout = 3000, retries = 1, fetch: send = fetch }: CallOptions,
): Promise<ServiceResponse> {
  const end = performance.now() + timeout;
  const init: RequestInit = {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // A redirect would pass on the secret; not every runtime has `error`.
    redirect: 'manual',
  };
  for (let more = retries; ; more -= 1) {
    let status = 0;
    let json: ServiceResponse['json'] = {};
    let isTemporary = true;
    let failure: Unavailable;
    try {
      // After a late timer, the pause has lasted beyond the end.
      const leftMs = Math.max(0, end - performance.now());
      const limit = AbortSignal.timeout(Math.ceil(leftMs / (more + 1)));
      const either = signal ? AbortSignal.any([signal, limit]) : limit;
      const response = await send(url, { ...init, signal: either });
      const text = await response.text();
      if (text.startsWith('{')) json = JSON.parse(text);
      status = response.status;
      isTemporary = status === 429 || status > 499 || text.includes('"internal-error"');
      const reason = `status ${status}: ${text.slice(0, MAX_REASON_CHARACTERS)}`;
      failure = unavailable(reason, Number(response.headers.get('retry-after')));
    } catch (error) {
      failure = unavailable(String(error));
    }
    const pauseMs = failure.retryAfter * 1000 || PAUSE_MS;
    if (!isTemporary || more < 1 || performance.now() + pauseMs >= end) {
      return { status, isAccepted: status === 200 && json.success === true, json, failure };
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
