// A client of one HTTP address that sends exactly the given requests and records all secrets that it sees.

import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Secrets } from './secrets.js';

export interface Sent {
  /** An object is sent as JSON; a text or bytes unchanged. */
  readonly body?: object | string | Buffer;
  /** A list becomes several headers of that name. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The client's address, as a trusted proxy would report it. */
  readonly ip?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare the whole body
  readonly json: any;
  /** The literal `Set-Cookie` headers. */
  readonly cookies: readonly string[];
}

export interface Client {
  readonly url: string;
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  get(path: string, sent?: Sent): Promise<Answer>;
  post(path: string, sent?: Sent): Promise<Answer>;
  delete(path: string, sent?: Sent): Promise<Answer>;
  close(): void;
}

const MOST_CONNECTIONS = 100;

/** Records every received token, cookie and answer in `secrets`. */
export function connectTo(url: string, secrets = new Secrets()): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS });
  const send = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const answer = await exchange(agent, method, url + path, sent);
    secrets.noteAnswer(answer);
    return answer;
  };
  return {
    url,
    send,
    get: (path, sent) => send('GET', path, sent),
    post: (path, sent) => send('POST', path, sent),
    delete: (path, sent) => send('DELETE', path, sent),
    close: () => agent.destroy(),
  };
}

async function exchange(agent: Agent, method: string, url: string, sent: Sent): Promise<Answer> {
  const { body, headers = {}, ip } = sent;
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const content = isJson ? JSON.stringify(body) : body;
  const all = {
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...(content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) }),
    ...(ip === undefined ? {} : { 'x-forwarded-for': ip }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const isJsonAnswer = response.headers['content-type']?.startsWith('application/json') === true;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text: bytes.toString(),
          json: isJsonAnswer && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
          cookies: response.headers['set-cookie'] ?? [],
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(content);
  });
}
