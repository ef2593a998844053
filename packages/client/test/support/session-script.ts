// A session service with scripted responses over real HTTP, which records its requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export interface ScriptedResponse {
  /** 0 accepts the request and closes the connection without a response. */
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection within the body. */
  readonly breaksOff?: boolean;
  /** Delays the response until this resolves. */
  readonly after?: Promise<unknown>;
}

/** A function is called for each request. */
export type ResponseOrFactory = ScriptedResponse | (() => ScriptedResponse);

export interface RecordedRequest {
  /** `POST /refresh` */
  readonly route: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface ScriptedService {
  readonly address: string;
  readonly requests: readonly RecordedRequest[];
  /** Issued and received tokens. */
  readonly issuedTokens: readonly string[];
  /** Maximum number of concurrent refreshes. */
  readonly maxConcurrentRefreshes: number;
  /** Sets the next responses to a route such as `POST /refresh`, in order; the last one repeats. */
  setResponses(route: string, ...responses: readonly ResponseOrFactory[]): void;
  /** Resolves when a route has been requested this often. */
  received(route: string, times: number): Promise<void>;
  count(route: string): number;
}

let tokens = 0;

/** Returns a success with a new token, whose name ends with its lifetime in seconds. */
export function grant(expiresIn = 900): ScriptedResponse {
  tokens += 1;
  return { status: 200, body: { accessToken: `token-${tokens}-${expiresIn}`, expiresIn } };
}

export function errorResponse(status: number, code?: string, retryAfter?: string): ScriptedResponse {
  return {
    status,
    body: code === undefined ? 'no JSON' : { message: 'No.', code },
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  };
}

export const lost: ScriptedResponse = { status: 0 };

export async function startScriptedService(t: Test): Promise<ScriptedService> {
  const scripts = new Map<string, ResponseOrFactory[]>();
  const requests: RecordedRequest[] = [];
  const issuedTokens: string[] = [];
  const waiting: { route: string; times: number; resolve: () => void }[] = [];
  let refreshes = 0;
  let mostRefreshes = 0;
  const count = (route: string) => requests.filter((one) => one.route === route).length;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url}`;
    const isRefresh = route === 'POST /refresh';
    if (isRefresh) refreshes += 1;
    mostRefreshes = Math.max(mostRefreshes, refreshes);
    let body = '';
    for await (const chunk of request) body += chunk;
    const script = scripts.get(route) ?? [];
    const next = (script.length > 1 ? script.shift() : script[0]) ?? errorResponse(404, 'not_found');
    const scripted = typeof next === 'function' ? next() : next;
    requests.push({ route, authorization: request.headers.authorization, body });
    for (const one of waiting) if (count(one.route) >= one.times) one.resolve();
    await scripted.after;
    if (isRefresh) refreshes -= 1;
    if (scripted.status === 0) response.destroy();
    else {
      const text = typeof scripted.body === 'object' ? JSON.stringify(scripted.body) : (scripted.body ?? '');
      if (typeof scripted.body === 'object' && 'accessToken' in scripted.body && !scripted.breaksOff) {
        issuedTokens.push(String(scripted.body.accessToken));
      }
      response.writeHead(scripted.status, { 'cache-control': 'no-store', ...scripted.headers });
      if (scripted.breaksOff) response.write(text.slice(0, 5), () => response.destroy());
      else response.end(text);
    }
  }

  const server = createServer((request, response) => {
    // The client may have aborted the request during its body.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    issuedTokens,
    get maxConcurrentRefreshes() {
      return mostRefreshes;
    },
    setResponses: (route, ...responses) => void scripts.set(route, [...responses]),
    received: (route, times) =>
      count(route) >= times
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ route, times, resolve })),
    count,
  };
}
