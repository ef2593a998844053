// A site over https with a sibling subdomain of another owner, and a real browser that visits both.
import { freePort } from '@tollgate/test-support/free-port.js';
import { until } from '@tollgate/test-support/until.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Test } from 'tap';
import { pageEnvironment } from '../demo/demo-page-visit.js';
import { solve, type Work } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { runCaddy } from './gateway-programs.js';

export const HOST = 'app.shop.test';
/** Every path whose cookies are sent to `/auth/refresh`, and one that differs by its slash. */
export const PATHS = ['/', '/auth', '/auth/', '/auth/refresh'];

const SIBLING = 'evil.shop.test';
const THIEF = { email: 'thief@example.com', password: 'the password of the thief' };

/** The system at `https://app.shop.test/auth`, and actions of users and attackers in this browser. */
export async function openSite(t: Test, browser: Browser, variables: Environment = {}) {
  const port = await freePort();
  const environment = {
    ...pageEnvironment(t.testdir()),
    PUBLIC_URL: `https://${HOST}:${port}/auth`,
    ...variables,
  };
  const system = await startSystem({ startService: startServiceHere, environment, accounts: [THIEF] });
  t.teardown(() => system.stop());
  const caddyfile = `{
  admin off
  auto_https disable_redirects
  skip_install_trust
}
https://${SIBLING}:${port} {
  tls internal
  respond "a page of somebody else"
}
https://${HOST}:${port} {
  tls internal
  reverse_proxy 127.0.0.1:${system.gatewayPort}
}`;
  await runCaddy(t, caddyfile, {}, port);
  const session = `http://127.0.0.1:${system.ports.session}`;

  async function solvedWork() {
    const response = await fetch(`http://127.0.0.1:${system.ports.challenge}/api/captcha/pow`);
    const work = (await response.json()) as Work;
    return { pow_token: work.token, pow_nonce: solve(work) };
  }

  /** Sends a request as a page of the site does. @returns its status and, if rejected, its code */
  async function send(page: Page, path: string, body?: object): Promise<string> {
    return page.evaluate(
      async ([path, body]) => {
        const headers = { 'content-type': 'application/json' };
        const init = body === undefined ? {} : { body: JSON.stringify(body), headers };
        const response = await fetch(`/auth/${path}`, { method: 'POST', ...init });
        const { code } = (await response.json()) as { code?: string };
        return [response.status, code].filter(Boolean).join(' ');
      },
      [path, body] as const,
    );
  }

  return {
    system,
    send,
    async openPage(t: Test) {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      t.teardown(() => context.close());
      const page = await context.newPage();
      // A file of the site that requests nothing by itself.
      await page.goto(`${system.address}/app.js`);
      return { page, context };
    },
    /** The sibling's own page sets the cookie, with any attributes. */
    async plant(context: BrowserContext, place: string, value: string, name = 'refreshToken'): Promise<void> {
      const page = await context.newPage();
      await page.goto(`https://${SIBLING}:${port}/`);
      const cookie = `${name}=${value}; Domain=shop.test; ${place}; Secure; SameSite=Lax; Max-Age=604800`;
      await page.evaluate(`document.cookie = ${JSON.stringify(cookie)}`);
      // The assignment returns before the cookie is stored. A browser stores no protected name with a domain.
      const isStored = async () =>
        (await context.cookies()).some((stored) => stored.name === name && stored.value === value);
      if (!name.startsWith('__Host-')) await until(isStored, 'the planted cookie is stored');
      await page.close();
    },
    /** The owner of the demo account logs in through the page. */
    async logIn(page: Page): Promise<string> {
      return send(page, 'login', { ...system.demo, ...(await solvedWork()) });
    },
    /** The attacker's session: the value of its cookie, and its access token. */
    async stolenSession(): Promise<{ cookie: string; accessToken: string }> {
      const response = await fetch(`${session}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...THIEF, ...(await solvedWork()) }),
      });
      const cookie =
        response.headers
          .getSetCookie()
          .at(0)
          ?.match(/=([^;]+)/)?.[1] ?? '';
      return { cookie, accessToken: ((await response.json()) as { accessToken: string }).accessToken };
    },
    async endSession(accessToken: string): Promise<void> {
      const headers = { authorization: `Bearer ${accessToken}` };
      await fetch(`${session}/logout`, { method: 'POST', headers });
    },
    /** Domains and paths of the browser's refresh cookies. */
    async refreshCookies(context: BrowserContext): Promise<string[]> {
      return (await context.cookies())
        .filter(({ name }) => name.endsWith('refreshToken'))
        .map(({ name, domain, path }) => `${name} ${domain} ${path}`);
    },
  };
}
