// Sends requests over kept-alive connections, and reports the reason for each missing response.
import { Agent, type IncomingMessage, request } from 'node:http';

/** One request. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** The result. */
export interface Answer {
  /** `200`, `503 store_unavailable`, or the reason for no response: `timeout`, `ECONNRESET`. */
  readonly label: string;
  /** 0 without a response. */
  readonly status: number;
  /** Whether the request may have reached a service despite the missing response. */
  readonly mayHaveArrived: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the body of its status
  readonly json: any;
  /** `NAME=VALUE` of the last cookie in the response. */
  readonly cookie: string | undefined;
}

/** Connections to any number of addresses. */
export interface HttpClient {
  /** Never rejects. @param base `http://HOST:PORT`; `localhost` is 127.0.0.1 */
  send(base: string, sent: Sent): Promise<Answer>;
  close(): void;
}

const MAX_CONNECTIONS = 256;

/** @param timeoutMs timeout for a complete response */
export function openHttpClient(timeoutMs: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  return {
    async send(base, sent) {
      try {
        return await exchange(agent, base, sent, timeoutMs);
      } catch (error) {
        const label = reasonOf(error);
        return {
          label,
          status: 0,
          mayHaveArrived: label !== 'ECONNREFUSED',
          json: undefined,
          cookie: undefined,
        };
      }
    },
    close: () => agent.destroy(),
  };
}

async function exchange(agent: Agent, base: string, sent: Sent, timeoutMs: number): Promise<Answer> {
  const { host, port } = new URL(base);
  const content = sent.body === undefined ? undefined : JSON.stringify(sent.body);
  const headers = {
    host,
    ...(content !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(content)),
    }),
    ...sent.headers,
  };
  const hostname = new URL(base).hostname.replace(/^localhost$/, '127.0.0.1');
  return await new Promise((resolve, reject) => {
    const { method, path } = sent;
    const outgoing = request({ agent, hostname, port, method, path, headers }, async (response) => {
      try {
        resolve(await readAnswer(response));
      } catch (error) {
        reject(error);
      } finally {
        clearTimeout(timer);
      }
    });
    const timer = setTimeout(() => outgoing.destroy(new Error('timeout')), timeoutMs);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(content);
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const json = parse(text);
  const status = response.statusCode ?? 0;
  const code = status >= 400 && typeof json?.code === 'string' ? ` ${json.code}` : '';
  const cookie = response.headers['set-cookie']?.at(0)?.split(';')[0];
  return { label: `${status}${code}`, status, mayHaveArrived: true, json, cookie };
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
