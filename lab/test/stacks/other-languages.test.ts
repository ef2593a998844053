// The contact forms of docs/examples in PHP, Flask, Django and Rails, in a browser.

import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import { examples, startHostedSystem } from '@tollgate/tests/examples/hosts.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startFront } from '../engines/front.js';
import { responds, startProgram } from './programs.js';

interface Stack {
  /** Its folder in docs/examples. */
  readonly folder: string;
  /** The variable of the program in the environment, and a file of its package. */
  readonly variable: string;
  readonly file: string;
  readonly path: string;
  /** The command that starts it. */
  command(port: number): readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const stacks: readonly Stack[] = [
  {
    folder: 'php',
    variable: 'PHP',
    file: '/usr/bin/php',
    path: '/contact.php',
    command: (port) => ['php', '-S', `127.0.0.1:${port}`],
  },
  {
    folder: 'flask',
    variable: 'FLASK',
    file: '/usr/lib/python3/dist-packages/flask/__init__.py',
    path: '/contact',
    command: (port) => ['/usr/bin/python3', '-m', 'flask', 'run', '--port', String(port)],
  },
  {
    folder: 'django',
    variable: 'DJANGO',
    file: '/usr/lib/python3/dist-packages/django/__init__.py',
    path: '/contact',
    command: (port) => ['/usr/bin/python3', 'manage.py', 'runserver', '--noreload', String(port)],
    env: { SECRET_KEY: 'the secret key of this test' },
  },
  {
    folder: 'rails',
    variable: 'RAILS',
    file: '/usr/bin/rails',
    path: '/contact',
    command: (port) => ['/usr/bin/puma', '--bind', `tcp://127.0.0.1:${port}`, '--environment', 'production'],
    env: { SECRET_KEY_BASE: 'the secret key base of this test' },
  },
];

const MESSAGE = 'Good morning, all of you.';
const REJECTED = 'The security check has failed.';
const UNAVAILABLE = 'Please try again shortly.';

const system = await startHostedSystem(t, {
  CAPTCHA_POW_VOLUME_STEP: '0',
  RATE_LIMIT_POW: '1000',
  RATE_LIMIT_ISSUE: '1000',
});
const browser = await launchBrowser();
t.teardown(() => browser.close());

for (const stack of stacks) {
  const isInstalled = process.env[stack.variable] !== '' && existsSync(stack.file);
  t.test(stack.folder, { skip: isInstalled ? false : `${stack.folder} is not installed` }, (t) =>
    guardsItsForm(t, stack),
  );
}

async function guardsItsForm(t: Test, stack: Stack): Promise<void> {
  const api = await startFront();
  const gateway = await startFront();
  t.teardown(() => Promise.all([api.stop(), gateway.stop()]));
  api.forward('/', system.ports.challengeAdmin);
  const folder = join(tempDir(t), stack.folder);
  cpSync(join(examples, stack.folder), folder, { recursive: true });
  const port = await freePort();
  await startProgram(t, stack.command(port), {
    cwd: folder,
    env: { HOST_API_URL: api.address, HOST_API_KEY: system.hostKey, ...stack.env },
    isUp: () => responds(`http://127.0.0.1:${port}${stack.path}`),
  });
  gateway.forward('/', port);
  gateway.forward('/api/captcha', system.ports.challenge);
  const address = gateway.address + stack.path;

  const ready = async (page: Page) => {
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLElement & { status: string }>('tollgate-challenge')?.status === 'ready',
    );
  };
  const submit = async (page: Page, text: string) => {
    // Rules of the server alone.
    await page.evaluate(() => document.forms[0]?.setAttribute('novalidate', ''));
    await page.fill('[name=text]', text);
    await ready(page);
    const [response] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button', { name: 'Send' }).click(),
    ]);
    await page.waitForLoadState();
    return response.status();
  };
  const shows = (page: Page, text: string) => page.getByText(text).waitFor();

  await t.test('a message is accepted after a bad field', async (t) => {
    const page = await openPage(t, browser, address);
    t.equal(await submit(page, 'Hello'), 422);
    await page.getByText(/at least (ten|10) characters/).waitFor();
    t.equal(await page.inputValue('[name=text]'), 'Hello');
    t.equal(await submit(page, MESSAGE), 200);
    await shows(page, 'Thank you.');
  });

  await t.test('wrong and spent challenges are rejected, and the next submission is accepted', async (t) => {
    const page = await openPage(t, browser, address);
    let fields = '';
    await page.route(address, async (route) => {
      const body = route.request().postData() ?? '';
      fields ||= body;
      await route.continue(body === '' ? {} : { postData: body.replace(/(pow_nonce=)[^&]*/, '$1wrong') });
    });
    t.equal(await submit(page, MESSAGE), 422);
    await shows(page, REJECTED);
    t.equal(await page.inputValue('[name=text]'), MESSAGE);
    await page.unroute(address);
    await page.route(address, async (route) => {
      fields = route.request().postData() ?? '';
      await route.continue();
    });
    t.equal(await submit(page, MESSAGE), 200);
    await shows(page, 'Thank you.');
    await page.unroute(address);
    await page.goto(address);
    const { token, nonce } = Object.fromEntries(
      [...new URLSearchParams(fields)].map(([name, value]) => [name.replace('pow_', ''), value]),
    );
    await page.route(address, async (route) => {
      const body = new URLSearchParams(route.request().postData() ?? '');
      body.set('pow_token', token ?? '');
      body.set('pow_nonce', nonce ?? '');
      await route.continue({ postData: String(body) });
    });
    t.equal(await submit(page, MESSAGE), 422);
    await shows(page, REJECTED);
    await page.unroute(address);
    t.equal(await submit(page, '<b>"Markup" & more</b>'), 200);
  });

  await t.test('while the service is away nothing is accepted, and the text is kept', async (t) => {
    const page = await openPage(t, browser, address);
    await ready(page);
    const restore = await api.cut();
    t.equal(await submit(page, `<b>${MESSAGE}`), 503);
    await shows(page, UNAVAILABLE);
    t.equal(await page.inputValue('[name=text]'), `<b>${MESSAGE}`);
    await restore();
    const release = api.hold('POST /host/verify');
    t.equal(await submit(page, MESSAGE), 503, 'no response');
    release();
    t.equal(await submit(page, MESSAGE), 200);
    for (const answer of [
      { status: 401, body: '{"code":"host_key_invalid"}' },
      { status: 200, body: '{"success":"no"}' },
      { status: 200, body: '[]' },
      { status: 200, body: '<html>' },
    ]) {
      await page.goto(address);
      const end = api.refuse('POST /host/verify', answer);
      const status = await submit(page, MESSAGE);
      t.equal(status, 503, JSON.stringify(answer));
      end();
    }
  });

  await t.test('requests that no form sends are rejected', async (t) => {
    const types = [
      'application/x-www-form-urlencoded',
      'application/json',
      'multipart/form-data',
      'text/plain',
    ];
    const bodies = [
      '',
      '{',
      '[]',
      `text=${encodeURIComponent(MESSAGE)}`,
      'text[]=a&text[b]=c&pow_token[]=x',
      'text=%ff%fe+0123456789&pow_token=%ff&pow_nonce=1',
      `text=0123456789&pow_token=${'x'.repeat(20_000)}`,
      JSON.stringify({ text: MESSAGE, pow_token: { a: 1 }, pow_nonce: [1] }),
    ];
    for (const type of types) {
      for (const body of bodies) {
        const response = await fetch(address, { method: 'POST', headers: { 'content-type': type }, body });
        const text = await response.text();
        t.ok(
          response.status >= 400 && response.status !== 500,
          `${type} ${body.slice(0, 40)}: ${response.status}`,
        );
        t.notMatch(text, 'Thank you.');
      }
    }
  });
}
