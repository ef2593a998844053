// Real system behind a proxy that serves pages with a session and can simulate network failures.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';
import type { Session, SessionOptions } from '../../src/session/session-options.js';

declare global {
  /** Globals of the site's pages. */
  var session: Session;
  /** Reasons reported by `onExpired` as definitive. */
  var expired: string[];
  /** Reasons reported by `onExpired` as not definitive. */
  var losses: string[];
}

export interface SessionSite {
  /** Public address: `http://localhost:PORT`. */
  readonly address: string;
  readonly system: System;
  /** Sizes of bodies posted to `/upload`, which rejects every second one with 401. */
  readonly uploads: readonly number[];
  /** Requests to the services, such as `POST /refresh`, in order. */
  readonly requests: readonly string[];
  count(what: string): number;
  /** Requests of this route aborted by the browser: their responses cannot change its cookies. */
  countAborted(what: string): number;
  /** Maximum concurrent requests of a route since the last call. */
  takeMaxConcurrent(what: string): number;
  /** Address of a page with a session with these options. */
  pageWith(options?: SessionOptions): string;
  /** Loses responses: the services handle the request, but the connection breaks; this often, or until `restore`. */
  loseAnswers(what: string, times?: number): void;
  /** Delays the responses to this request. @returns a function that releases them */
  delay(what: string): () => void;
  /** Responds to this request with the status, without the services. */
  fail(what: string, status: number, headers?: Readonly<Record<string, string>>): void;
  restore(): void;
  /** Login body of the demo account, with a solved proof of work. */
  credentials(): Promise<{ email: string; password: string; pow_token: string; pow_nonce: string }>;
}

/** Prebuilt file, one request in place of twenty per page, and its on-demand modules. */
const built = dirname(fileURLToPath(import.meta.resolve('@tollgate/client/tollgate.js')));

/** Cheapest challenges and unreachable limits, because these tests are about sessions. */
const cheap = {
  GATEWAY_PORT: '0',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_POW_MAX_DIFFICULTY: '1',
  CAPTCHA_POW_VOLUME_STEP: '0',
  RATE_LIMIT_POW: '100000',
  RATE_LIMIT_ISSUE: '100000',
  RATE_LIMIT_LOGIN: '100000',
  RATE_LIMIT_LOGIN_CODE: '100000',
  RATE_LIMIT_REFRESH: '100000',
  RATE_LIMIT_SESSION: '100000',
};

const ownPaths = new Set(['/', '/other', '/page.js']);
const page =
  '<!doctype html><html lang="en"><title>A page</title><script type="module" src="/page.js"></script>';
const script = `
import { createSession } from '/client/tollgate.js';
const options = JSON.parse(new URLSearchParams(location.search).get('options') ?? '{}');
globalThis.expired = [];
globalThis.losses = [];
globalThis.session = createSession(options);
session.onExpired((reason, { definitive }) => (definitive ? expired : losses).push(reason));
`;
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self'; connect-src *; base-uri 'none'; frame-ancestors 'none'";

/**
 * Starts the site for one test file.
 * @param environment additional variables of the services
 * @param accounts additional accounts to the demo account
 */
export async function startSessionSite(
  t: Test,
  environment: Readonly<Record<string, string>> = {},
  accounts: readonly { email: string; password: string }[] = [],
): Promise<SessionSite> {
  const requests: string[] = [];
  const aborted: string[] = [];
  const uploads: number[] = [];
  const underWay = new Map<string, number>();
  const most = new Map<string, number>();
  const losses = new Map<string, number>();
  const holds = new Map<string, Promise<void>>();
  const failures = new Map<string, { status: number; headers: Readonly<Record<string, string>> }>();
  let gatewayPort = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    const what = `${incoming.method} ${pathname}`;
    if (ownPaths.has(pathname) || pathname.startsWith('/client/')) {
      await serveFile(pathname, response);
      return;
    }
    if (pathname === '/upload') {
      uploads.push(Buffer.concat(await incoming.toArray()).length);
      response.writeHead(uploads.length % 2 === 1 ? 401 : 200).end();
      return;
    }
    const failure = failures.get(what);
    requests.push(what);
    if (failure) {
      const body = JSON.stringify({ message: 'No.', code: 'made_up' });
      response
        .writeHead(failure.status, { 'content-type': 'application/json', ...failure.headers })
        .end(body);
    } else await forward(incoming, response, what);
  }

  async function forward(incoming: IncomingMessage, response: ServerResponse, what: string): Promise<void> {
    underWay.set(what, (underWay.get(what) ?? 0) + 1);
    most.set(what, Math.max(most.get(what) ?? 0, underWay.get(what) ?? 0));
    const { method, url, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: gatewayPort, method, path: url, headers });
    incoming.pipe(outgoing);
    response.once('close', () => {
      if (!response.writableEnded) aborted.push(what);
    });
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      outgoing.on('response', resolve).on('error', reject),
    );
    const chunks = await answer.toArray();
    await holds.get(what);
    underWay.set(what, (underWay.get(what) ?? 1) - 1);
    const left = losses.get(what) ?? 0;
    if (left > 0) {
      losses.set(what, left - 1);
      response.destroy();
      return;
    }
    const { connection: _connection, 'keep-alive': _keepAlive, ...answered } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answered).end(Buffer.concat(chunks));
  }

  const front = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  // On a reused connection, Chromium silently repeats a request without a response.
  front.maxRequestsPerSocket = 1;
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    front.closeAllConnections();
    front.close();
  });
  const address = `http://localhost:${(front.address() as AddressInfo).port}`;
  const system = await startSystem({
    startService: startServiceHere,
    environment: { ...cheap, DATA_DIR: tempDir(t), PUBLIC_URL: address, ...environment },
    accounts,
  });
  t.teardown(() => system.stop());
  gatewayPort = system.gatewayPort;

  return {
    address,
    system,
    requests,
    uploads,
    count: (what) => requests.filter((one) => one === what).length,
    countAborted: (what) => aborted.filter((one) => one === what).length,
    takeMaxConcurrent(what) {
      const times = most.get(what) ?? 0;
      most.delete(what);
      return times;
    },
    pageWith: (options = {}) => `${address}/?options=${encodeURIComponent(JSON.stringify(options))}`,
    loseAnswers: (what, times = Number.POSITIVE_INFINITY) => void losses.set(what, times),
    delay(what) {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      holds.set(what, held);
      return () => {
        holds.delete(what);
        release();
      };
    },
    fail: (what, status, headers = {}) => void failures.set(what, { status, headers }),
    restore() {
      losses.clear();
      failures.clear();
    },
    async credentials() {
      const answer = await fetch(`http://127.0.0.1:${gatewayPort}/api/captcha/pow`);
      const { token, salt } = (await answer.json()) as { token: string; salt: string };
      const { email = '', password = '' } = system.demo ?? {};
      return { email, password, pow_token: token, pow_nonce: solve(salt) };
    },
  };
}

async function serveFile(pathname: string, response: ServerResponse): Promise<void> {
  const isPage = !pathname.endsWith('.js');
  const body = isPage
    ? page
    : pathname === '/page.js'
      ? script
      : await readFile(join(built, pathname.replace('/client/', '')));
  response.writeHead(200, {
    'content-type': isPage ? 'text/html; charset=utf-8' : 'text/javascript',
    // Other tabs and reloads need no revalidation.
    'cache-control': isPage ? 'no-cache' : 'max-age=3600',
    'content-security-policy': policy,
  });
  response.end(body);
}

/** A nonce for one leading zero bit. */
function solve(salt: string): string {
  for (let nonce = 0; ; nonce++) {
    const [first = 255] = createHash('sha256').update(`${salt}${nonce}`).digest();
    if (first < 128) return String(nonce);
  }
}
