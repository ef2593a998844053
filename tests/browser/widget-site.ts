// The challenge service with sites, in this process, and shop pages with their widgets.

import { createHash } from 'node:crypto';
import { type RequestListener, request } from 'node:http';
import { join } from 'node:path';
import { freePort } from '@tollgate/test-support/free-port.js';
import { serve } from '@tollgate/test-support/serve.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';

/** The secret of every site. */
const secret = (site: string) => `the secret of the site ${site}`;
const hashOf = (site: string) => createHash('sha256').update(secret(site)).digest('hex');

const sites = {
  shop: { hostnames: ['localhost'] },
  brief: { hostnames: ['localhost'], receipt_seconds: 2 },
  image: { hostnames: ['localhost'], image: 'always' },
  other: { hostnames: ['other.example'] },
};

/** Siteverify response to a server. */
interface Verdict {
  readonly success: boolean;
  readonly hostname?: string;
  readonly action?: string;
  readonly cdata?: string;
  readonly score?: number;
  readonly credit?: boolean;
  readonly 'error-codes'?: readonly string[];
}

interface WidgetSite {
  /** Script address: the service with its prefix. */
  readonly service: string;
  /** The origin of the shop. */
  readonly shop: string;
  /** Requests to the service since the start, such as `POST /sites/shop/redeem 200`, oldest first. */
  readonly answered: string[];
  /** Responses that replace the service's own, by the path after the prefix; delete one to end that. */
  readonly refused: Map<
    string,
    { readonly status: number; readonly body: object; readonly headers?: Readonly<Record<string, string>> }
  >;
  /** Serves a page of the shop. @returns its address */
  page(html: string, headers?: Readonly<Record<string, string>>): string;
  /** Serves a script of the shop at this path. */
  script(path: string, code: string): void;
  /** Sends a request as a site's server does. */
  verify(site: keyof typeof sites, receipt: string): Promise<Verdict>;
}

const prefix = '/api/captcha';

/** Starts both; they stop when the test ends. */
export async function startWidgetSite(t: Pick<Test, 'teardown'>): Promise<WidgetSite> {
  const answered: string[] = [];
  const refused: WidgetSite['refused'] = new Map();
  const pages = new Map<
    string,
    { readonly body: string; readonly headers: Readonly<Record<string, string>> }
  >();
  const sendPage: RequestListener = (incoming, response) => {
    const page = pages.get(new URL(incoming.url ?? '/', 'http://localhost').pathname);
    response.writeHead(page === undefined ? 404 : 200, page?.headers).end(page?.body);
  };
  const shop = await serve(t, sendPage, 'localhost');
  let port = 0;
  const forward: RequestListener = (incoming, response) => {
    const { method, url = '', headers } = incoming;
    const path = new URL(url, 'http://localhost').pathname.slice(prefix.length);
    const what = `${method} ${path.replace(/\w{40}/, 'TOKEN')}`;
    const refusal = refused.get(path);
    if (refusal !== undefined) {
      answered.push(`${what} ${refusal.status}`);
      response
        .writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers })
        .end(JSON.stringify(refusal.body));
      return;
    }
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      answered.push(`${what} ${answer.statusCode}`);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  };
  const front = await serve(t, forward, 'localhost');
  const folder = tempDir(t);
  port = await freePort();
  const service = startServiceHere('challenge-service', {
    logFile: join(folder, 'challenge-service.log'),
    environment: {
      CHALLENGE_SECRET: 'challenge-secret-of-the-tests-0001',
      PUBLIC_URL: front,
      DATA_DIR: folder,
      CHALLENGE_PORT: String(port),
      CHALLENGE_ADMIN_PORT: '0',
      CAPTCHA_TEST_MODE: 'true',
      CAPTCHA_MIN_SECONDS: '0',
      RATE_LIMIT_POW: '10000',
      RATE_LIMIT_REDEEM: '10000',
      // The price of the work does not matter on these pages.
      CAPTCHA_POW_DIFFICULTY: '8',
      CAPTCHA_POW_MAX_DIFFICULTY: '8',
      CAPTCHA_POW_VOLUME_STEP: '0',
      SITES: JSON.stringify(
        Object.fromEntries(
          Object.entries(sites).map(([key, options]) => [key, { secret_sha256: hashOf(key), ...options }]),
        ),
      ),
    },
  } as Parameters<typeof startServiceHere>[1]);
  t.teardown(() => service.stop(1_000));
  const address = `${front}${prefix}`;
  while (service.isRunning() && !(await isUp(`${address}/api.js`)))
    await new Promise((done) => setTimeout(done, 20));
  if (!service.isRunning()) throw new Error(service.errors());
  answered.length = 0;

  return {
    service: address,
    shop,
    answered,
    refused,
    page(body, headers = {}) {
      const path = `/page-${pages.size}`;
      pages.set(path, { body, headers: { 'content-type': 'text/html', ...headers } });
      return shop + path;
    },
    script: (path, body) => void pages.set(path, { body, headers: { 'content-type': 'text/javascript' } }),
    async verify(site, receipt) {
      const answer = await fetch(`${address}/siteverify`, {
        method: 'POST',
        body: new URLSearchParams({ secret: secret(site), response: receipt }),
      });
      return (await answer.json()) as Verdict;
    },
  };
}

async function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** A context for all pages of a file; records errors of the pages. */
export async function openVisit(
  t: Pick<Test, 'teardown'>,
  browser: Browser,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  t.teardown(() => context.close());
  const errors: string[] = [];
  context.on('weberror', (error) => errors.push(error.error().message));
  return {
    errors,
    context,
    async open(address: string): Promise<Page> {
      const page = await context.newPage();
      await page.goto(address);
      return page;
    },
  };
}
