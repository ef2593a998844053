// One HTTP request over a new connection.

import { isIP, type LookupFunction } from 'node:net';
import { brotliDecompressSync, inflateSync, unzipSync } from 'node:zlib';
import { buildConnector, Client, type Dispatcher, errors } from 'undici';
import type { Answer } from './answer.js';

/** Both ends of a connection. */
export interface Route {
  /** IP address to connect to instead of resolving the host name. */
  readonly connect?: string | undefined;
  readonly family?: 4 | 6 | undefined;
  /** Address of this machine to connect from. */
  readonly localAddress?: string | undefined;
  /** Milliseconds for the whole exchange, 15,000 by default. */
  readonly timeoutMs?: number | undefined;
}

/** Content and route of a request. */
export interface RequestOptions extends Route {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const TIMEOUT_MS = 15_000;
/** Maximum length of a body; an image takes a tenth of it. */
const MAX_BYTES = 1024 * 1024;

/**
 * Sends one request and resolves with the response, or with status 0 if there is none. Follows no redirect and never
 * throws.
 */
export async function exchange(method: string, url: string, options: RequestOptions = {}): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  const connection = openConnection(origin, options);
  try {
    const response = await connection.client.request({
      method,
      path: `${pathname}${search}`,
      headers: {
        'user-agent': 'tollgate-doctor',
        'accept-encoding': 'gzip, deflate, br',
        ...options.headers,
      },
      body: options.body ?? null,
      reset: true,
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
    });
    return await readAnswer(response, connection.localAddress());
  } catch (error) {
    return noAnswer(reasonOf(error));
  } finally {
    await connection.client.destroy();
  }
}

/** A client for one request, and this machine's address on its connection, empty before there is one. */
function openConnection(origin: string, { connect, family, localAddress, timeoutMs }: Route) {
  let address = '';
  const connector = buildConnector({
    timeout: timeoutMs ?? TIMEOUT_MS,
    ...(family === undefined ? {} : { family }),
    ...(connect === undefined ? {} : { lookup: alwaysAt(connect) }),
  });
  const client = new Client(origin, {
    maxResponseSize: MAX_BYTES,
    ...(localAddress === undefined ? {} : { localAddress }),
    connect: (target, done) =>
      connector(target, (...result) => {
        address = result[1]?.localAddress ?? '';
        done(...result);
      }),
  });
  return { client, localAddress: () => address };
}

async function readAnswer(response: Dispatcher.ResponseData, localAddress: string): Promise<Answer> {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value = '']) => [name, [value].flat().join(', ')]),
  );
  const bytes = decode(Buffer.from(await response.body.arrayBuffer()), headers['content-encoding']);
  const text = bytes.toString();
  const cookies = [response.headers['set-cookie'] ?? []].flat();
  return { status: response.statusCode, headers, cookies, bytes, text, json: parse(text), localAddress };
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

function noAnswer(reason: string): Answer {
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
  if (error instanceof errors.ResponseExceededMaxSizeError) return 'the response does not end';
  if (error.name === 'TimeoutError' || error instanceof errors.ConnectTimeoutError) {
    return 'no response in time';
  }
  // For a name with several addresses Node throws an error with an empty message and one nested error per address.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const { code, message } = first as NodeJS.ErrnoException;
  return message || code || error.name;
}
