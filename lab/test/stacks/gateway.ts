// The public address of the example applications: in front of an application and of both services.

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sessionPaths } from '@tollgate/tools/gateway/gateway.js';
import type { Ports } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';

/** Ports of the services. */
type ServicePorts = Pick<Ports, 'session' | 'challenge' | 'challengeAdmin'>;

export interface Gateway {
  /** `http://localhost:PORT` */
  readonly address: string;
  serveSystem(ports: ServicePorts): void;
  /** The application of all other paths. */
  serveApplication(port: number): void;
  /** While true, verifications find no service. */
  isAway: boolean;
}

const isOfSessions = new RegExp(`^(?:${sessionPaths.join('|')})(?:$|[/?])`);

/** Listens on a free port until the test ends. */
export async function startGateway(t: Test): Promise<Gateway> {
  const ports = { application: 0, session: 0, challenge: 0, challengeAdmin: 0 };
  const gateway = { isAway: false };

  function portOf(url: string): number {
    if (url.startsWith('/host/')) return ports.challengeAdmin;
    if (isOfSessions.test(url)) return ports.session;
    return url.startsWith('/api/captcha/') ? ports.challenge : ports.application;
  }

  function handle(incoming: IncomingMessage, reply: ServerResponse): void {
    const { method, url = '/', headers } = incoming;
    if (gateway.isAway && /^\/host\/|\/siteverify$/.test(url)) {
      incoming.destroy();
      return;
    }
    const outgoing = request({
      // A server may close an idle connection at the moment of its next request.
      agent: false,
      host: '127.0.0.1',
      port: portOf(url),
      method,
      path: url,
      headers: {
        ...headers,
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': headers.host,
        'x-forwarded-proto': 'http',
      },
    });
    outgoing.on('error', () => reply.destroy());
    outgoing.on('response', (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(reply);
    });
    incoming.pipe(outgoing);
  }

  const server = createServer({ keepAliveTimeout: 0 }, handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(gateway, {
    address: `http://localhost:${(server.address() as AddressInfo).port}`,
    serveSystem({ session, challenge, challengeAdmin }: ServicePorts) {
      Object.assign(ports, { session, challenge, challengeAdmin });
    },
    serveApplication(port: number) {
      ports.application = port;
    },
  });
}
