// A gateway for doctor's tests that works correctly except for one fault.

import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import { serve } from '@tollgate/test-support/serve.js';
import type { Ports } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';

/** A request on its way to a service. */
export interface Passing {
  readonly method: string;
  /** Path and query, which may be changed. */
  url: string;
  headers: IncomingHttpHeaders;
  /** Address of the connecting client. */
  readonly from: string;
}

/** A response on its way back. */
export interface Returning {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

/** A fault of the front; each part may change what passes, and `refuse` responds by itself. */
export interface Fault {
  readonly refuse?: (passing: Passing) => Returning | undefined;
  /** @param came the headers as the client sent them */
  readonly passing?: (passing: Passing, came: IncomingHttpHeaders) => void;
  readonly returning?: (returning: Returning, passing: Passing) => void;
  /** Where a path is forwarded to; a port of the system. */
  readonly route?: (url: string, ports: Ports) => number;
}

/** A server that does nothing yet, so that its port is known before the system behind it starts. */
export async function openFront(t: Pick<Test, 'teardown'>) {
  let ports: Ports | undefined;
  let fault: Fault = {};
  const address = await serve(t, (incoming, response) => {
    if (ports === undefined) response.writeHead(502).end();
    else void forward(incoming, response, ports, fault).catch(() => response.destroy());
  });
  return {
    port: Number(new URL(address).port),
    /** Forwards to a system from now on. */
    lead(to: Ports): void {
      ports = to;
    },
    /** Has only this fault from now on. */
    breakWith(next: Fault): void {
      fault = next;
    },
  };
}

async function forward(incoming: IncomingMessage, response: ServerResponse, ports: Ports, fault: Fault) {
  const body = await read(incoming);
  const passing: Passing = {
    method: incoming.method ?? '',
    url: incoming.url ?? '/',
    headers: { ...incoming.headers, connection: 'close' },
    from: incoming.socket.remoteAddress ?? '',
  };
  passing.headers['x-forwarded-for'] = passing.from;
  fault.passing?.(passing, incoming.headers);
  const refused = fault.refuse?.(passing);
  const returning = refused ?? (await ask(passing, body, (fault.route ?? usualPort)(passing.url, ports)));
  fault.returning?.(returning, passing);
  response.writeHead(returning.status, returning.headers).end(returning.body);
}

/** Challenge routes to their service, everything else to the other one. */
function usualPort(url: string, ports: Ports): number {
  return url.startsWith('/api/captcha') ? ports.challenge : ports.session;
}

function ask(passing: Passing, body: Buffer, port: number): Promise<Returning> {
  return new Promise((resolve, reject) => {
    const { method, url: path, headers } = passing;
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      read(answer).then((bytes) => {
        const { connection: _connection, 'transfer-encoding': _encoding, ...rest } = answer.headers;
        resolve({ status: answer.statusCode ?? 0, headers: rest, body: bytes });
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function read(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
