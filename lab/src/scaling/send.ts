// Sends prepared requests, each different from the others, to one process or to several in turn.
import { openConnection } from '../load/connection.js';

/** One request. */
export interface Prepared {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The amount: a total number of requests, or as many as fit into a time. */
type Extent = { readonly requests: number } | { readonly seconds: number };

interface Sending {
  /** Addresses of the processes. */
  readonly urls: readonly string[];
  /** Total connections. Each sends after its previous response. */
  readonly connections: number;
  readonly extent: Extent;
  /** The next request. */
  readonly next: () => Prepared;
}

/** The result. */
interface Sent {
  /** Requests with a successful response. */
  readonly answered: number;
  readonly failures: number;
  readonly seconds: number;
  /** Bytes of the successful responses. */
  readonly responseBytes: number;
}

const LENGTH = /\r\ncontent-length: *(\d+)/i;
const END_OF_HEAD_BYTES = 4;

/** Resolves when all responses have arrived, or the time is over. */
export async function send({ urls, connections, extent, next }: Sending): Promise<Sent> {
  const opened = await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      const url = new URL(urls[at % urls.length]!);
      return { url, connection: await openConnection(url) };
    }),
  );
  const counts = { answered: 0, failures: 0, responseBytes: 0 };
  let left = 'requests' in extent ? extent.requests : Number.POSITIVE_INFINITY;
  const startMs = performance.now();
  const endMs = startMs + ('seconds' in extent ? extent.seconds * 1000 : Number.POSITIVE_INFINITY);
  const serve = ({ url, connection }: (typeof opened)[number]) =>
    new Promise<void>((resolve) => {
      const sendNext = () => {
        left -= 1;
        if (left < 0 || performance.now() > endMs) return resolve();
        connection.send(textOf(next(), url.host), ({ status, head }) => {
          if (status >= 200 && status < 300) {
            counts.answered += 1;
            counts.responseBytes += head.length + END_OF_HEAD_BYTES + Number(LENGTH.exec(head)?.[1] ?? 0);
          } else counts.failures += 1;
          sendNext();
        });
      };
      sendNext();
    });
  await Promise.all(opened.map(serve));
  const seconds = (performance.now() - startMs) / 1000;
  for (const { connection } of opened) connection.close();
  return { ...counts, seconds };
}

function textOf({ method, path, headers = {}, body = '' }: Prepared, host: string): string {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
