// Sends prepared requests, each different from the others, to one process or to several in equal parts.
import autocannon from 'autocannon';

/** One request. */
export interface Prepared {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How much to send: a number of requests in all, or as many as fit into a time. */
export type Extent = { readonly requests: number } | { readonly seconds: number };

export interface Sending {
  /** Addresses of the processes. */
  readonly urls: readonly string[];
  /** Connections to all of them together. */
  readonly connections: number;
  readonly extent: Extent;
  /** The next request. */
  readonly next: () => Prepared;
  /** What the body of a successful response contains, if its status does not tell. */
  readonly expected?: string | undefined;
}

/** What came of it. */
export interface Sent {
  /** Requests with a successful response. */
  readonly answered: number;
  readonly failures: number;
  readonly seconds: number;
  /** Bytes of the responses. */
  readonly responseBytes: number;
}

/** Resolves when all have been answered, or the time is over. */
export async function send({ urls, connections, extent, next, expected = '' }: Sending): Promise<Sent> {
  const share = Math.max(1, Math.floor(connections / urls.length));
  const startMs = performance.now();
  const results = await Promise.all(
    urls.map((url) =>
      autocannon({
        url,
        connections: share,
        verifyBody: (body = '') => body.includes(expected),
        ...('seconds' in extent
          ? { duration: extent.seconds }
          : { amount: Math.ceil(extent.requests / urls.length) }),
        requests: [
          {
            setupRequest(request) {
              const { method, path, headers = {}, body } = next();
              const sent = { ...request, method, path, headers: { ...headers } };
              return body === undefined ? sent : { ...sent, body };
            },
          },
        ],
      }),
    ),
  );
  const total = (of: (result: autocannon.Result) => number) =>
    results.reduce((sum, result) => sum + of(result), 0);
  return {
    answered: total((result) => result['2xx']),
    failures: total((result) => result.non2xx + result.errors + result.timeouts + result.mismatches),
    seconds: (performance.now() - startMs) / 1000,
    responseBytes: total((result) => result.throughput.total),
  };
}
