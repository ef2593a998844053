// `fetch` with the token of the session: where it may go, and when a request is repeated.

export interface BearerFetchParts {
  readonly base: URL;
  /** Origins that may have the token. */
  readonly origins: readonly string[];
  readonly send: typeof fetch;
  /** The token as it is now. */
  token(): string | undefined;
  /** Changes whenever somebody else may be signed in: what one person asked is not sent in the name of another. */
  changes(): number;
  /** The refresh that has to come before the first try; undefined when there is none. */
  prepare(): Promise<unknown> | undefined;
  /** Whether a refresh may help a request that went without a token. */
  mayResume(): boolean;
  /** Resolves when its first attempt has been answered: repeats may last as long as the token. */
  refresh(): Promise<unknown>;
}

/** @see Session.fetch */
export function createBearerFetch(parts: BearerFetchParts): typeof fetch {
  const { base, origins, send } = parts;
  const loginPath = new URL('login', base).pathname;

  const sendWith = (request: Request, token: string | undefined) => {
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    return send(request);
  };
  const mayBear = ({ url }: Request) => {
    const { origin, pathname } = new URL(url);
    return origins.includes(origin) && (origin !== base.origin || pathname !== loginPath);
  };

  return async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, base), init);
    if (!mayBear(request)) return send(request);
    const changes = parts.changes();
    await untilAborted(parts.prepare(), request.signal);
    const used = parts.changes() === changes ? parts.token() : undefined;
    // A body can be read only once, so the copy goes first.
    const response = await sendWith(request.clone(), used);
    if (response.status !== 401 && response.status !== 403) return response;
    if (used === undefined && !parts.mayResume()) return response;
    if (parts.token() === used) await untilAborted(parts.refresh(), request.signal);
    const newer = parts.token();
    if (newer === undefined || newer === used || parts.changes() !== changes) return response;
    await response.body?.cancel();
    return sendWith(request, newer);
  };
}

/** Waits for the work, however it ends; rejects with the signal's reason as soon as that comes. */
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
