// Requests to the session service: login, refresh and logout.

import { readRetryAfterMs } from '../retry-after.js';
import type { TokenBody } from '../wire.js';
import { type AccessToken, createAccessToken, startStopwatch } from './access-token.js';
import type { ProvenRequest, Prover } from './binding/device-proof.js';
import type { Environment } from './environment.js';
import { SessionError } from './errors.js';

/** Without a timeout a connection that died during sleep goes unnoticed. */
const timeoutMs = 20_000;
/** Shorter than the lock timeout of other tabs, so that no login overlaps; a refresh is retried anyway. */
const refreshTimeoutMs = 8_000;

/** A failure without information about the session. */
export const unreachable = new SessionError('network');

interface ServiceOptions {
  readonly base: URL;
  readonly send: typeof fetch;
  readonly fetchOptions: RequestInit;
}

interface Service {
  /**
   * Returns the response; error responses and those without a body have no token.
   * @param path path of a login, reauthentication or password change
   * @param via sends the request; by default like the others, without a token
   * @throws errors of `fetch`, or {SessionError} `network` or `invalid_answer`
   */
  login(
    path: string,
    fields: object,
    via?: typeof fetch,
  ): Promise<{ response: Response; token?: AccessToken }>;
  /** Binds a new session to a key of this browser, after the other tabs know of its login. */
  bind(): Promise<void>;
  /** @param signal aborts the request, so that the browser drops the response's cookie. @throws {SessionError} */
  refresh(signal: AbortSignal): Promise<AccessToken>;
  /** Ends the token's session; if the token is rejected, the cookie's. @throws {SessionError} */
  logout(token: string | undefined): Promise<void>;
  /** Ends the cookie's session. @param signal as for `refresh`. @throws {SessionError} */
  endCookie(signal: AbortSignal): Promise<void>;
}

export function connectService(options: ServiceOptions, environment: Environment): Service {
  const { base, send, fetchOptions } = options;

  const request = (path: string, init: RequestInit, headers: Record<string, string> = {}, via = send) => {
    const all = new Headers(fetchOptions.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return via(new URL(path, base), { credentials: 'include', ...fetchOptions, ...init, headers: all });
  };

  let prover: Promise<Prover> | undefined;

  /** Sends a login or refresh, with a proof if this browser stores keys, or a logout, after which the key is removed. */
  async function prove(path: string, init: ProvenRequest, headers = {}) {
    const send = (more?: Record<string, string>) => request(path, init, { ...headers, ...more });
    const loaded = await loadProver();
    return loaded ? loaded.prove(path, init, send) : send();
  }

  async function loadProver(): Promise<Prover | undefined> {
    prover ??= environment.loadProof?.().then(({ createProver }) => createProver(base, environment, request));
    try {
      return await prover;
    } catch {
      prover = undefined;
      return undefined;
    }
  }

  /** Runs work with a signal that aborts after the timeout or with the given signal. */
  async function withTimeout<T>(
    ms: number,
    given: AbortSignal | null | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const stop = () => controller.abort(given?.aborted ? given.reason : new SessionError('network'));
    if (given?.aborted) stop();
    given?.addEventListener('abort', stop);
    const timer = environment.startTimer(stop, ms);
    try {
      return await work(controller.signal);
    } finally {
      environment.stopTimer(timer);
      given?.removeEventListener('abort', stop);
    }
  }

  async function readToken(
    response: Response,
    stopwatch: ReturnType<typeof startStopwatch>,
  ): Promise<AccessToken> {
    const { accessToken, expiresIn } = await readTokenBody(response);
    return createAccessToken(accessToken, expiresIn * 1000, stopwatch);
  }

  async function endCookie(signal: AbortSignal): Promise<void> {
    const response = await prove('refresh', { method: 'DELETE', signal });
    if (!response.ok) throw await readError(response);
  }

  return {
    login: (path, fields, via) =>
      withTimeout(timeoutMs, fetchOptions.signal, async (signal) => {
        const stopwatch = startStopwatch(environment);
        const init = { method: 'POST', body: JSON.stringify(fields), signal };
        const json = { 'content-type': 'application/json' };
        const response = await (via ? request(path, init, json, via) : prove(path, init, json));
        if (!response.ok || response.status === 204) return { response };
        const token = await readToken(response, stopwatch);
        const body = JSON.stringify({ expiresIn: token.lifeMs / 1000 });
        return { response: new Response(body, response), token };
      }),
    bind: async () => (await loadProver())?.bind(),
    refresh: (given) =>
      withTimeout(refreshTimeoutMs, given, async (signal) => {
        for (let isRepeated = false; ; isRepeated = true) {
          const stopwatch = startStopwatch(environment);
          const response = await prove('refresh', { method: 'POST', signal });
          if (response.ok) return readToken(response, stopwatch);
          const error = await readError(response);
          // Without the proof module this is the only possible response.
          if (error.reason === 'binding_required' && environment.loadProof && !prover) throw unreachable;
          // The response to a conflict has removed the planted cookies.
          if (isRepeated || error.reason !== 'cookie_conflict') throw error;
        }
      }).catch(throwSessionError),
    logout: (token) =>
      withTimeout(timeoutMs, null, async (signal) => {
        const bearer = { authorization: `Bearer ${token}` };
        // The page's own `Authorization` is for a proxy in front of the service, which needs it.
        const mayUseToken = token && !new Headers(fetchOptions.headers).has('authorization');
        const response = mayUseToken && (await prove('logout', { method: 'POST', signal }, bearer));
        if (!response || response.status === 401) await endCookie(signal);
        else if (!response.ok) throw await readError(response);
      }).catch(throwSessionError),
    endCookie: (given) => withTimeout(refreshTimeoutMs, given, endCookie).catch(throwSessionError),
  };
}

/**
 * @throws {SessionError} `invalid_answer` if the body carries no token
 * @throws errors of `fetch` if the body is incomplete
 */
async function readTokenBody(response: Response): Promise<TokenBody> {
  const body = parseJson(await response.text());
  if (typeof body?.accessToken === 'string' && body.expiresIn > 0) return body;
  throw new SessionError('invalid_answer', response.status);
}

/** Reads an error response. */
async function readError(response: Response): Promise<SessionError> {
  const code = parseJson(await response.text().catch(() => ''))?.code;
  return new SessionError(
    typeof code === 'string' ? code : `http_${response.status}`,
    response.status,
    readRetryAfterMs(response.headers) ?? 0,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: unvalidated response
function parseJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function throwSessionError(error: unknown): never {
  throw error instanceof SessionError ? error : new SessionError('network', 0, 0, { cause: error });
}
