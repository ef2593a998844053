// The session: the access token lives in this closure and nowhere else, and is renewed before it ends.

const leadSeconds = 60;
const jitterSeconds = 10;
const longestPauseSeconds = 30;

/**
 * @param {object} options
 * @param {(method: string, path: string, options?: object) => Promise<object>} options.call
 * @param {() => void} options.onEnded told when a session that was there cannot be renewed any more
 */
export function createSession({ call, onEnded }) {
  let token;
  let lifetimeMs = 0;
  let untilMs = 0;
  let timer;
  let refreshing;

  function adopt({ accessToken, expiresIn }) {
    token = accessToken;
    lifetimeMs = expiresIn * 1000;
    untilMs = Date.now() + lifetimeMs;
    const seconds =
      expiresIn <= 2 * leadSeconds ? expiresIn / 2 : expiresIn - leadSeconds - Math.random() * jitterSeconds;
    clearTimeout(timer);
    timer = setTimeout(refresh, seconds * 1000);
  }

  function forget() {
    clearTimeout(timer);
    token = undefined;
    untilMs = 0;
  }

  /** One refresh at a time; resolves with whether there is a token afterwards. */
  function refresh() {
    refreshing ??= attempt(1).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function attempt(pauseSeconds) {
    const hadToken = token !== undefined;
    const answer = await call('POST', 'refresh');
    if (answer.ok) {
      adopt(answer.body);
      return true;
    }
    const mayPass = [0, 429, 503].includes(answer.status);
    const waitMs = (answer.retryAfterSeconds || pauseSeconds) * 1000;
    if (hadToken && mayPass && Date.now() + waitMs < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return token !== undefined && attempt(Math.min(pauseSeconds * 2, longestPauseSeconds));
    }
    if (!hadToken && mayPass) throw new Error(answer.body.message);
    forget();
    if (hadToken) onEnded();
    return false;
  }

  return {
    adopt,
    refresh,
    /** Milliseconds that the access token is still good for, and its whole life. */
    remaining: () => ({ leftMs: Math.max(0, untilMs - Date.now()), lifetimeMs }),
    /** Calls a protected route; on 401 or 403 the token is renewed and the call repeated, once. */
    async callProtected(method, path) {
      const used = token;
      const answer = await call(method, path, { token: used });
      if (answer.status !== 401 && answer.status !== 403) return answer;
      if (token === used && !(await refresh())) return answer;
      return call(method, path, { token });
    },
    /** Ends the session on the server and here; resolves with the server's answer. */
    async logOut() {
      let answer = await call('POST', 'logout', { token });
      if (answer.status === 401) answer = await call('DELETE', 'refresh');
      if (answer.ok) forget();
      return answer;
    },
  };
}
