// `fetch` with the access token: adds it to requests, and repeats rejected ones after a refresh.

interface BearerFetchDeps {
  readonly base: URL;
  /** Origins to which the token is sent. */
  readonly origins: readonly string[];
  readonly send: typeof fetch;
  /** The current token. */
  token(): string | undefined;
  /** Increases when another user may have logged in, so that no request of one user is sent with another's token. */
  userChanges(): number;
  /** Refresh before the first attempt; undefined if none is needed. */
  prepare(): Promise<unknown> | undefined;
  /** Whether a refresh may help a request without a token. */
  mayResume(): boolean;
  /** Resolves after one attempt; retries continue in the background. Undefined if the last failure is too recent. */
  refresh(): Promise<unknown> | undefined;
}

/** @see Session.fetch */
export function createBearerFetch(deps: BearerFetchDeps): typeof fetch {
  const { base, origins, send } = deps;
  const login = new URL('login', base).href;

  const sendWith = (request: Request, token: string | undefined) => {
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    return send(request);
  };
  /** A request with its own `Authorization` is not changed. */
  const mayCarryToken = ({ url, headers }: Request) => {
    const { origin, pathname } = new URL(url);
    return origins.includes(origin) && origin + pathname !== login && !headers.has('authorization');
  };

  return async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, base), init);
    if (!mayCarryToken(request)) return send(request);
    const changes = deps.userChanges();
    await untilAborted(deps.prepare(), request.signal);
    const used = deps.userChanges() === changes ? deps.token() : undefined;
    // A body can be read only once: the first attempt sends a copy.
    const response = await sendWith(request.clone(), used);
    if (response.status !== 401 && response.status !== 403) return response;
    if (used === undefined && !deps.mayResume()) return response;
    if (deps.token() === used) await untilAborted(deps.refresh(), request.signal);
    const newer = deps.token();
    if (newer === undefined || newer === used || deps.userChanges() !== changes) return response;
    await response.body?.cancel();
    return sendWith(request, newer);
  };
}

/** Waits until the work settles; rejects with the signal's reason if that aborts first. */
function untilAborted(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    const done = () => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    Promise.resolve(work).then(done, done);
  });
}
