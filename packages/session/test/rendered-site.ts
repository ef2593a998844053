// A small application that renders its pages on the server, on one host with the running services.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPageSession, type PageSession, SessionUnavailableError } from '@tollgate/session';
import { serve } from '@tollgate/test-support/serve.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';

export interface RenderedSite {
  /** Public address: `http://localhost:PORT`. */
  readonly address: string;
  /** Address of session-service itself. */
  readonly service: string;
  readonly system: System;
  readonly account: { readonly email: string; readonly password: string };
  /** Requests such as `POST /refresh`, in order. */
  readonly requests: readonly string[];
  count(what: string): number;
  /** Responds to this request with 503 until `restore`. */
  fail(what: string): void;
  restore(): void;
}

/** The prebuilt browser package. */
const built = dirname(fileURLToPath(import.meta.resolve('@tollgate/client/tollgate.js')));

const document = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><body>${body}`;

const signIn = document(
  'Sign in',
  `<script type="module">
import { createSession } from '/client/tollgate.js';
globalThis.session = createSession();
globalThis.signIn = async (fields) => {
  const { status } = await session.login(fields);
  if (status === 200) location.replace(new URLSearchParams(location.search).get('to') ?? '/orders');
  return status;
};
</script>`,
);

/**
 * Starts the site for one test file. `/orders` needs a user, `/deaf` sees none, `/sign-in` is the login page.
 * @param environment further variables of session-service
 */
export async function startRenderedSite(
  t: Test,
  environment: Readonly<Record<string, string>> = {},
): Promise<RenderedSite> {
  const requests: string[] = [];
  const failing = new Set<string>();
  let session: PageSession;
  let gatewayPort = 0;

  async function render(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    const html = { 'content-type': 'text/html; charset=utf-8' };
    requests.push(`${incoming.method} ${pathname}`);
    if (failing.has(`${incoming.method} ${pathname}`)) {
      response.writeHead(503, { 'retry-after': '1' }).end();
    } else if (pathname === '/sign-in') {
      response.writeHead(200, html).end(signIn);
    } else if (pathname.startsWith('/client/')) {
      const code = await readFile(join(built, pathname.replace('/client/', '')));
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(code);
    } else if (pathname === '/favicon.ico') {
      response.writeHead(204).end();
    } else if (pathname === '/orders' || pathname === '/deaf') {
      const user = pathname === '/deaf' ? null : await session(incoming);
      if (user === null) response.writeHead(303, { location: session.continueUrl(incoming) }).end();
      else
        response
          .writeHead(200, { ...html, ...session.responseHeaders })
          .end(document('Orders', `<h1>Orders of ${user.email}</h1>`));
    } else {
      await forward(incoming, response);
    }
  }

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: gatewayPort, method, path: url, headers });
    incoming.pipe(outgoing);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { connection: _connection, 'keep-alive': _keepAlive, ...answered } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answered);
    answer.pipe(response);
  }

  const respond: RequestListener = (incoming, response) => {
    render(incoming, response).catch((error: unknown) => {
      response.writeHead(error instanceof SessionUnavailableError ? error.status : 500).end(String(error));
    });
  };
  const address = await serve(t, respond, 'localhost');
  const system = await startSystem({
    startService: startServiceHere,
    environment: {
      GATEWAY_PORT: '0',
      SESSION_PORT: '0',
      SESSION_ADMIN_PORT: '0',
      CHALLENGE_PORT: '0',
      CHALLENGE_ADMIN_PORT: '0',
      CAPTCHA_POW_ENABLED: 'false',
      CAPTCHA_ESCALATION_AFTER: '100',
      RATE_LIMIT_LOGIN: '100000',
      RATE_LIMIT_REFRESH: '100000',
      RATE_LIMIT_SESSION: '100000',
      PAGE_COOKIE: 'true',
      PAGE_LOGIN_URL: '/sign-in',
      DATA_DIR: tempDir(t),
      PUBLIC_URL: address,
      ...environment,
    },
  });
  t.teardown(() => system.stop());
  gatewayPort = system.gatewayPort;
  const service = `http://127.0.0.1:${system.ports.session}`;
  session = createPageSession({ publicUrl: address, service, timeout: 20_000 });
  const { email = '', password = '' } = system.demo ?? {};
  return {
    address,
    service,
    system,
    account: { email, password },
    requests,
    count: (what) => requests.filter((one) => one === what).length,
    fail: (what) => void failing.add(what),
    restore: () => failing.clear(),
  };
}

/** Logs in over HTTP. */
export async function logIn({ address, account }: RenderedSite): Promise<{
  readonly accessToken: string;
  /** The page cookie, as sent by a browser. */
  readonly page: string;
  readonly refresh: string;
}> {
  const answer = await fetch(`${address}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  const pairs = answer.headers.getSetCookie().map((header) => header.split(';')[0] ?? '');
  const pair = (name: string) => pairs.find((one) => one.startsWith(`${name}=`)) ?? '';
  return { accessToken, page: pair('page'), refresh: pair('refreshToken') };
}
