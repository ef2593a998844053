// The running services with one site, and the visitors of its forms.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { solve, type Work } from '../solving.js';
import { type HostedSystem, startHostedSystem } from './hosts.js';

export const SECRET = 'the-secret-of-the-shop-000000000000000000';
const site = (seconds: number) => ({
  secret_sha256: hash('sha256', SECRET),
  hostnames: ['shop.example'],
  receipt_seconds: seconds,
});

export interface GuardedForms extends HostedSystem {
  readonly siteverify: string;
  readonly hostApi: string;
  /** The receipt of a widget on a page of the site. @param site `shop`, or `brief`, whose receipts live for two seconds */
  receipt(fields?: object, site?: 'shop' | 'brief'): Promise<string>;
}

/** Starts both services with cheap challenges; stopped at the end of the test. */
export async function startGuardedForms(t: Test): Promise<GuardedForms> {
  const system = await startHostedSystem(t, {
    SITES: JSON.stringify({
      shop: site(300),
      brief: { ...site(2), secret_sha256: hash('sha256', `${SECRET}2`) },
    }),
    CAPTCHA_POW_VOLUME_STEP: '0',
    RATE_LIMIT_POW: '1000',
    RATE_LIMIT_ISSUE: '1000',
  });
  const prefix = `http://127.0.0.1:${system.ports.challenge}/api/captcha`;
  return {
    ...system,
    siteverify: `${prefix}/siteverify`,
    hostApi: `http://127.0.0.1:${system.ports.challengeAdmin}`,
    async receipt(fields = {}, name = 'shop') {
      const headers = { origin: 'https://shop.example', 'content-type': 'application/json' };
      const issued = await fetch(`${prefix}/sites/${name}/pow`, { headers });
      const { token, ...task } = (await issued.json()) as Work;
      const body = JSON.stringify({ pow_token: token, pow_nonce: solve(task), ...fields });
      const response = await fetch(`${prefix}/sites/${name}/redeem`, { method: 'POST', headers, body });
      if (!response.ok) throw new Error(await response.text());
      const { token: receipt } = (await response.json()) as { token: string };
      return receipt;
    },
  };
}

interface Front {
  /** Its address: the service's, but for the port. */
  address(url: string): string;
  /** The requests so far: their bodies. */
  readonly bodies: readonly string[];
  /** Lets the service respond to the next request, and loses the response. */
  loseNext(): void;
  /** Delays all responses. */
  delay(ms: number): void;
}

/** Starts a front of a service, which loses or delays responses. */
export async function startFront(t: Test, target: string): Promise<Front> {
  const bodies: string[] = [];
  let isLosing = false;
  let delayMs = 0;
  const server = createServer(async (request, reply) => {
    const isLost = isLosing;
    isLosing = false;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    bodies.push(String(body));
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const url = new URL(request.url ?? '', target);
    const response = await fetch(url, {
      method: request.method ?? '',
      headers: headers as Record<string, string>,
      body,
    });
    const text = await response.text();
    await pause(delayMs, undefined, { ref: false });
    if (isLost) request.socket.destroy();
    else reply.writeHead(response.status, { 'content-type': 'application/json' }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: (url) => String(Object.assign(new URL(url), { port: String(port) })),
    bodies,
    loseNext() {
      isLosing = true;
    },
    delay(ms) {
      delayMs = ms;
    },
  };
}
