// Calls to the two services, each of them shown to whoever watches.

/**
 * Makes the page's way to the services.
 * @param {(entry: { method: string, path: string, status: number, ms: number }) => void} watch told of every call
 *   when it is answered; status 0 means that there was no answer
 */
export function createApi(watch) {
  /** Never throws: without an answer, `status` is 0 and `body` says so in words. */
  return async function call(method, path, { body, token } = {}) {
    const headers = {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const startedMs = performance.now();
    const answer = await send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    // A ticket would only make the line long.
    watch({
      method,
      path: `/${path.split('?')[0]}`,
      status: answer.status,
      ms: performance.now() - startedMs,
    });
    return answer;
  };
}

async function send(path, options) {
  try {
    const response = await fetch(path, options);
    const text = await response.text();
    return {
      status: response.status,
      ok: response.ok,
      body: text === '' ? {} : JSON.parse(text),
      language: response.headers.get('Content-Language') ?? '',
      retryAfterSeconds: Number(response.headers.get('Retry-After')) || 0,
    };
  } catch {
    const message = 'The server does not answer. Is it still running?';
    return { status: 0, ok: false, body: { message }, language: 'en', retryAfterSeconds: 0 };
  }
}
