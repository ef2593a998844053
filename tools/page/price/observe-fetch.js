// Reports every request of this page by wrapping the browser's `fetch`.

/**
 * @param {(entry: { method: string, path: string, status: number, code: string, ms: number }) => void} onRequest called
 *   when a request has its response; status 0 means no response
 * @returns {void} it replaces the browser's `fetch`
 */
export function observeFetch(onRequest) {
  const send = globalThis.fetch.bind(globalThis);
  globalThis.fetch = async (input, init) => {
    const { method, url } = input instanceof Request ? input : new Request(input, { method: init?.method });
    const startedMs = performance.now();
    const path = shortPath(url);
    const elapsedMs = () => performance.now() - startedMs;
    try {
      const response = await send(input, init);
      const { status, ok } = response;
      const ms = elapsedMs();
      onRequest({ method, path, status, code: ok ? '' : await codeOf(response.clone()), ms });
      return response;
    } catch (error) {
      if (error.name !== 'AbortError') onRequest({ method, path, status: 0, code: '', ms: elapsedMs() });
      throw error;
    }
  };
  observeImages(onRequest);
}

/** Reports images, which the browser fetches itself. */
function observeImages(onRequest) {
  const observer = new PerformanceObserver((list) => {
    for (const { name, initiatorType, responseStatus, duration } of list.getEntries()) {
      if (initiatorType !== 'img') continue;
      onRequest({
        method: 'GET',
        path: shortPath(name),
        status: responseStatus ?? 200,
        code: '',
        ms: duration,
      });
    }
  });
  observer.observe({ type: 'resource' });
}

/** Returns the path without the ticket, and with shortened tokens and ids. */
function shortPath(url) {
  const { pathname, searchParams } = new URL(url);
  const preset = searchParams.get('preset');
  return (
    pathname.replace(/[A-Za-z0-9_-]{20,}/g, (id) => `${id.slice(0, 6)}…`) +
    (preset ? `?preset=${preset}` : '')
  );
}

async function codeOf(response) {
  try {
    return (await response.json()).code ?? '';
  } catch {
    return '';
  }
}
