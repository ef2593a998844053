// One request over a connection of its own.

import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestEncrypted } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { brotliDecompressSync, inflateSync, unzipSync } from 'node:zlib';
import type { Answer } from './answer.js';

/** Where a connection goes to and comes from. */
export interface Route {
  /** Address to connect to instead of what the host's name resolves to. */
  readonly connect?: string | undefined;
  readonly family?: 4 | 6 | undefined;
  /** This machine's address to connect from. */
  readonly localAddress?: string | undefined;
  /** Milliseconds after which no answer is expected any more; 15,000 unless said. */
  readonly timeoutMs?: number | undefined;
}

/** What is sent. */
export interface Sent extends Route {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const TIMEOUT_MS = 15_000;
/** Longest body that is kept; an image has a tenth of it. */
const MAX_BYTES = 1024 * 1024;

/** Sends one request and resolves with the answer, or with status 0 when there was none. It never throws. */
export async function exchange(method: string, url: string, sent: Sent = {}): Promise<Answer> {
  const { connect, family, localAddress, timeoutMs = TIMEOUT_MS, body } = sent;
  const request = url.startsWith('https:') ? requestEncrypted : requestPlain;
  const headers = {
    'user-agent': 'tollgate-doctor',
    'accept-encoding': 'gzip, deflate, br',
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...sent.headers,
  };
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const outgoing = request(
        url,
        {
          method,
          headers,
          agent: false,
          signal: AbortSignal.timeout(timeoutMs),
          ...(family === undefined ? {} : { family }),
          ...(localAddress === undefined ? {} : { localAddress }),
          ...(connect === undefined ? {} : { lookup: alwaysAt(connect) }),
        },
        (response) => {
          readAnswer(response).then(resolve, reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  } catch (error) {
    return nothing(reasonOf(error));
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const localAddress = response.socket.localAddress ?? '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the answer does not end');
    chunks.push(chunk);
  }
  const bytes = decode(Buffer.concat(chunks), response.headers['content-encoding']);
  const text = bytes.toString();
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  const cookies = response.headers['set-cookie'] ?? [];
  return { status: response.statusCode ?? 0, headers, cookies, bytes, text, json: parse(text), localAddress };
}

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes;
  switch (encoding) {
    case 'gzip':
      return unzipSync(bytes);
    case 'deflate':
      return inflateSync(bytes);
    case 'br':
      return brotliDecompressSync(bytes);
    default:
      return bytes;
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function alwaysAt(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

function nothing(reason: string): Answer {
  return {
    status: 0,
    headers: {},
    cookies: [],
    bytes: new Uint8Array(),
    text: reason,
    json: {},
    localAddress: '',
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  // A name with several addresses gives one error for each, and no message of its own.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const { code, message } = first as NodeJS.ErrnoException;
  return error.name === 'TimeoutError' ? 'nothing came in time' : message || code || error.name;
}
