// The real system behind a proxy that serves a test's folder as its pages, with a strict policy.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';

interface AppSite {
  /** `http://localhost:PORT`, for browsers. */
  readonly address: string;
  readonly server: Server;
  /** Requests to the services since the last `show`, such as `POST /login`, without queries. */
  readonly requests: readonly string[];
  /** Serves the pages from there from now on. */
  serve(pages: Pages): void;
}

/** A folder for each URL path (`{ '/': …, '/tollgate/': … }`, longest first), or the pages' own server. */
type Pages =
  | Readonly<Record<string, string>>
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** The password of every account. */
export const password = 'correct horse battery staple';

const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const services = /^\/(api\/captcha|login|refresh|logout|profile)(\/|$)/;
const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
/** Any ports, little work, images with known answers. */
export const cheap: Environment = {
  GATEWAY_PORT: '0',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '8',
  CAPTCHA_POW_MAX_DIFFICULTY: '14',
  CAPTCHA_MIN_SECONDS: '0',
  CAPTCHA_EFFORT_BITS: '8',
  RATE_LIMIT_LOGIN: '1000',
};

/** Starts the system for one test file, with accounts for these e-mail addresses, until the test ends. */
export async function startAppSite(t: Test, emails: readonly string[]): Promise<AppSite> {
  const requests: string[] = [];
  let pages: Pages = {};
  let gatewayPort = 0;

  function forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = incoming;
    requests.push(`${method} ${url?.replace(/\?.*/, '').replace(/\w{40}/, 'TOKEN')}`);
    const outgoing = request({ host: '127.0.0.1', port: gatewayPort, method, path: url, headers });
    outgoing.on('error', () => response.destroy());
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  }

  const front = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    if (services.test(pathname)) forward(incoming, response);
    else if (typeof pages === 'function') pages(incoming, response);
    else void sendFile(pages, pathname, response);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    front.closeAllConnections();
    front.close();
  });
  const address = `http://localhost:${(front.address() as AddressInfo).port}`;
  const system = await startSystem({
    startService: startServiceHere,
    environment: { ...cheap, DATA_DIR: tempDir(t), PUBLIC_URL: address },
    accounts: emails.map((email) => ({ email, password })),
  });
  t.teardown(() => system.stop());
  gatewayPort = system.gatewayPort;

  return {
    address,
    server: front,
    requests,
    serve(next) {
      pages = next;
      requests.length = 0;
    },
  };
}

async function sendFile(
  folders: Readonly<Record<string, string>>,
  pathname: string,
  response: ServerResponse,
): Promise<void> {
  const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  const [prefix = '/', folder = ''] =
    Object.entries(folders).find(([prefix]) => path.startsWith(prefix)) ?? [];
  try {
    const body = await readFile(join(folder, path.slice(prefix.length)));
    const type = mediaTypes[extname(path)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}
