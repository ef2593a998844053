// A small HTTP server for the gateway's tests: it records requests and responds as told.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ThrowAwayService {
  readonly url: string;
  readonly received: Received[];
  /** Stops responding from now on. */
  hang(): void;
  /** Number of accepted TCP connections. */
  connections(): number;
  close(): Promise<void>;
}

type Answer = (received: Received, response: ServerResponse) => void;

const answerOk: Answer = (_received, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true}');
};

export async function startService(answer: Answer = answerOk): Promise<ThrowAwayService> {
  const received: Received[] = [];
  let connections = 0;
  let hangs = false;
  const server = createServer(async (incoming, response) => {
    // A gateway's health check. No test counts it, or its connection.
    if (incoming.url === '/health/serving')
      return void response.setHeader('connection', 'close').end('{"status":"ok"}');
    const body = await readText(incoming);
    const entry = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      rawHeaders: incoming.rawHeaders,
      headers: incoming.headers,
      body,
    };
    received.push(entry);
    if (!hangs) answer(entry, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    hang() {
      hangs = true;
    },
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/** One request over a new connection; `headers` may be alternating names and values, to send a name twice. */
export async function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string> | string[]; body?: string | Buffer } = {},
): Promise<Answered> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: options.method ?? 'GET', headers: options.headers ?? {}, agent: false },
      async (response) => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          text: await readText(response),
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
