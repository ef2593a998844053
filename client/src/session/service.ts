// The requests of the session itself: log-in, refresh and log-out.

import { type HeldToken, holdToken, startWatch } from './access-token.js';
import { readRefusal, readTokenBody } from './answer.js';
import type { Surroundings } from './environment.js';
import { SessionError } from './errors.js';
import type { LoginFields } from './session-options.js';

/** What has not been answered by then will not be: the connection may have died while the machine slept. */
const limitMs = 20_000;
/** Shorter than other tabs wait for it, so that a log-in does not go beside it; a refresh is repeated anyway. */
const refreshLimitMs = 8_000;

export interface ServiceOptions {
  readonly base: URL;
  readonly send: typeof fetch;
  readonly fetchOptions: RequestInit;
}

export interface Service {
  /** A refusal comes without a token. @throws what `fetch` throws, or {SessionError} `network` or `invalid_answer` */
  login(fields: LoginFields): Promise<{ response: Response; token?: HeldToken }>;
  /** @param givesUp cuts it off, and with it the cookie of its answer. @throws {SessionError} */
  refresh(givesUp: AbortSignal): Promise<HeldToken>;
  /** Ends the session of the token; without one, or when it is refused, that of the cookie. @throws {SessionError} */
  logout(token: string | undefined): Promise<void>;
}

export function connectService(options: ServiceOptions, surroundings: Surroundings): Service {
  const { base, send, fetchOptions } = options;

  const ask = (path: string, init: RequestInit, headers: Record<string, string> = {}) => {
    const all = new Headers(fetchOptions.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return send(new URL(path, base), { credentials: 'include', ...fetchOptions, ...init, headers: all });
  };

  /** Does the work within the limit, and until the signal. */
  async function limited<T>(
    ms: number,
    givesUp: AbortSignal | null | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limit = new AbortController();
    const stop = () => limit.abort(givesUp?.aborted ? givesUp.reason : new SessionError('network'));
    if (givesUp?.aborted) stop();
    givesUp?.addEventListener('abort', stop);
    const timer = surroundings.startTimer(stop, ms);
    try {
      return await work(limit.signal);
    } finally {
      surroundings.stopTimer(timer);
      givesUp?.removeEventListener('abort', stop);
    }
  }

  async function readToken(response: Response, watch: ReturnType<typeof startWatch>): Promise<HeldToken> {
    const { accessToken, expiresIn } = await readTokenBody(response);
    return holdToken(accessToken, expiresIn * 1000, watch);
  }

  return {
    login: (fields) =>
      limited(limitMs, fetchOptions.signal, async (signal) => {
        const watch = startWatch(surroundings);
        const init = { method: 'POST', body: JSON.stringify(fields), signal };
        const answer = await ask('login', init, { 'content-type': 'application/json' });
        if (!answer.ok) return { response: answer };
        const token = await readToken(answer, watch);
        const { status, headers } = answer;
        const shown = JSON.stringify({ expiresIn: token.lifeMs / 1000 });
        return { response: new Response(shown, { status, headers }), token };
      }),
    refresh: (givesUp) =>
      limited(refreshLimitMs, givesUp, async (signal) => {
        const watch = startWatch(surroundings);
        const answer = await ask('refresh', { method: 'POST', signal });
        if (!answer.ok) throw await readRefusal(answer, surroundings.nowMs());
        return readToken(answer, watch);
      }).catch(raise),
    logout: (token) =>
      limited(limitMs, null, async (signal) => {
        const bearer = { authorization: `Bearer ${token}` };
        let answer = token && (await ask('logout', { method: 'POST', signal }, bearer));
        if (!answer || answer.status === 401) answer = await ask('refresh', { method: 'DELETE', signal });
        if (!answer.ok) throw await readRefusal(answer, surroundings.nowMs());
      }).catch(raise),
  };
}

function raise(error: unknown): never {
  throw error instanceof SessionError ? error : new SessionError('network', 0, 0, { cause: error });
}
