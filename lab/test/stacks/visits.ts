// Visitors of a guarded contact form, the same for every application.

import { until } from '@tollgate/test-support/until.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Browser, Page, Request } from 'playwright-core';
import type { Test } from 'tap';
import { oddBodies } from '../verify/odd-bodies.js';
import type { Application } from './example.js';
import type { Gateway } from './gateway.js';

/** A form with the element or a widget: its challenge field, and a test for solved challenges. */
export const guards = {
  element: {
    field: 'pow_token',
    isReady: `document.querySelector('tollgate-challenge')?.status === 'ready'`,
  },
  widget: {
    field: 'cf-turnstile-response',
    isReady: `Boolean(document.querySelector('[name=cf-turnstile-response]')?.value)`,
  },
};

export interface Form {
  readonly guard: keyof typeof guards;
  /** Statuses of refusals. */
  readonly statuses: { readonly rejected: number; readonly unavailable: number };
  /** Bodies on which the framework itself fails, before any code of the example. */
  readonly unparsed?: readonly string[];
}

interface Visited extends Form {
  readonly browser: Browser;
  readonly gateway: Gateway;
  readonly application: Application;
}

const email = 'ann@example.com';
const text = 'Good morning, and "thank you" <b>very</b> much.';
const failed = /The security check has failed/;

/** A submission as the browser sent it, and the status of the response. */
interface Submission {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly status: number;
}

/** Sends a submission once more. */
async function repeat({ url, headers, body }: Submission): Promise<{ status: number; text: string }> {
  const sent = Object.entries(headers).filter(
    ([name]) => !name.startsWith(':') && !['host', 'connection', 'content-length'].includes(name),
  );
  const init = { method: 'POST', headers: sent, body: new Uint8Array(body), redirect: 'manual' } as const;
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
}

const isSubmission = (request: Request) =>
  request.method() === 'POST' && !request.url().includes('/api/captcha/');

/** Visits the form of an application in every way. */
export async function visitForm(t: Test, visited: Visited): Promise<void> {
  const { browser, gateway, application, guard, statuses, unparsed = [] } = visited;
  const { delivered } = application;
  const { field, isReady } = guards[guard];
  const said: string[] = [];

  async function open(t: Test): Promise<Page> {
    const page = await openPage(t, browser, 'about:blank');
    page.on('console', (message) => {
      // The browser itself logs every failed response.
      const isOfBrowser = message.text().startsWith('Failed to load resource');
      if (['warning', 'error'].includes(message.type()) && !isOfBrowser) said.push(message.text());
    });
    await page.goto(`${gateway.address}/contact`);
    await page.waitForFunction(isReady);
    return page;
  }

  /** Fills in the form and sends it. */
  async function send(page: Page, message: string): Promise<Submission> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Your message').fill(message);
    return sendAgain(page);
  }

  async function sendAgain(page: Page): Promise<Submission> {
    // The element delays an early submission.
    if (guard === 'widget') await page.waitForFunction(isReady);
    const sent = page.waitForEvent('response', (response) => isSubmission(response.request()));
    await page.getByRole('button', { name: 'Send' }).click();
    const response = await sent;
    const request = response.request();
    return {
      url: request.url(),
      headers: await request.allHeaders(),
      body: request.postDataBuffer() ?? Buffer.alloc(0),
      status: response.status(),
    };
  }

  const thanks = (page: Page) => page.getByText('Thank you.').waitFor();

  /** The form displays a refusal, and still has the visitor's input. */
  async function refused(t: Test, page: Page, message: RegExp, typed = text): Promise<void> {
    await page.getByRole('alert').filter({ hasText: message }).waitFor();
    t.equal(await page.getByLabel('E-mail').inputValue(), email, 'the address is kept');
    t.equal(await page.getByLabel('Your message').inputValue(), typed, 'the message is kept');
  }

  /** Changes the body of the next submission. */
  async function change(page: Page, pattern: RegExp, replacement: string): Promise<void> {
    let isChanged = false;
    await page.route('**', async (route) => {
      if (isChanged || !isSubmission(route.request())) return route.fallback();
      isChanged = true;
      const body = route.request().postDataBuffer()?.toString('latin1') ?? '';
      const changed = body.replace(pattern, replacement);
      t.not(changed, body, 'the body has the field');
      return route.continue({ postData: Buffer.from(changed, 'latin1') });
    });
  }

  let accepted: Submission | undefined;

  await t.test('a message is delivered', async (t) => {
    const page = await open(t);
    accepted = await send(page, text);
    await thanks(page);
    t.strictSame(delivered, [{ email, text }]);
  });

  await t.test('after a refusal by the application the form is sent again, without a call', async (t) => {
    const page = await open(t);
    for (const short of ['Hello', 'Hi']) {
      await send(page, short);
      await refused(t, page, /at least 10 characters/, short);
    }
    t.equal(delivered.length, 1);
    await send(page, text);
    await thanks(page);
    t.equal(delivered.length, 2);
  });

  await t.test('a missing or wrong challenge is rejected, and the next submission accepted', async (t) => {
    const page = await open(t);
    await change(page, new RegExp(field), `${field.slice(0, -1)}x`);
    await send(page, text);
    await refused(t, page, failed);
    await change(page, new RegExp(`(${field}(?:=|"\\r\\n\\r\\n|":"))...`), '$1AAA');
    await sendAgain(page);
    await refused(t, page, failed);
    t.equal(delivered.length, 2);
    await sendAgain(page);
    await thanks(page);
    t.equal(delivered.length, 3);
  });

  await t.test('a submission sent twice is rejected', async (t) => {
    if (accepted === undefined) throw new Error('nothing was accepted');
    const response = await repeat(accepted);
    t.match(response, { status: statuses.rejected, text: failed });
    t.equal(delivered.length, 3);
  });

  await t.test('while the service is away nothing is delivered, and afterwards it is', async (t) => {
    const page = await open(t);
    gateway.isAway = true;
    const sent = await send(page, text);
    await refused(t, page, failed);
    t.equal(sent.status, statuses.unavailable);
    gateway.isAway = false;
    t.equal(delivered.length, 3);
    await sendAgain(page);
    await thanks(page);
    t.equal(delivered.length, 4);
  });

  await t.test('bodies that no form sends are no failure', async (t) => {
    const url = accepted?.url ?? '';
    for (const [type, body] of oddBodies) {
      const headers = { 'content-type': type, origin: gateway.address };
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
      t.ok(unparsed.includes(body) || response.status < 500, `${type} ${body}: ${response.status}`);
    }
    t.equal(delivered.length, 4);
    await until(async () => (await fetch(`${gateway.address}/contact`)).ok, 'it still responds');
  });

  t.strictSame(said, [], 'no warning in the console');
}
