// docs/examples, built with the packed archive in separate projects, in a browser with the real system.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '@tollgate/test-support/compiler.js';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { cheap, password, startAppSite } from '@tollgate/tests/browser/app-site.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { build, createServer } from 'vite';
import { createOutsideProject, packInto, published } from '../packages/outside-project.js';
import { buildExample, installExample } from '../stacks/example.js';

/** Imports of the examples besides the package. */
const builders = [
  'react',
  'react-dom',
  'vue',
  'svelte',
  'vite',
  '@types/react',
  '@types/react-dom',
  '@vitejs/plugin-react',
  '@vitejs/plugin-vue',
  '@sveltejs/vite-plugin-svelte',
];
const emails = ['plain', 'angular', 'react', 'vue', 'svelte', 'react-dev', 'vue-dev', 'svelte-dev'].map(
  (name) => `${name}@example.com`,
);
const archives = packInto(tempDir(t), [published['tollgate-client']]);
const site = await startAppSite(t, emails);
const browser = await launchBrowser();
t.teardown(() => browser.close());

/** Installs an example with the package. @returns its folder */
const install = (example: string) => createOutsideProject(t, archives, { example, beside: builders });

interface Visit {
  readonly page: Page;
  /** The warnings and errors on the page's console. */
  readonly said: readonly string[];
  /** Started workers. */
  readonly workers: readonly string[];
}

async function visit(t: Test, options = {}): Promise<Visit> {
  const page = await openPage(t, browser, 'about:blank', options);
  const said: string[] = [];
  const workers: string[] = [];
  page.on('console', (message) => {
    // The browser itself logs every failed response.
    const isOfBrowser = message.text().startsWith('Failed to load resource');
    if (['warning', 'error'].includes(message.type()) && !isOfBrowser) said.push(message.text());
  });
  page.on('worker', (worker) => workers.push(worker.url()));
  await page.goto(site.address);
  return { page, said, workers };
}

/** Two wrong passwords, a wrong image, the image with the right password, the profile, the logout. */
async function signInAndOut(t: Test, { page, said, workers }: Visit, email: string): Promise<void> {
  const submit = page.getByRole('button', { name: 'Sign in' });
  const image = page.locator('img[src*="/api/captcha/"], img[srcset*="/api/captcha/"]');
  const demanded = page.waitForResponse((response) => response.url().endsWith('/api/captcha?hint=1'));
  const attempt = async (password: string) => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
    await submit.click();
    return (await answered).status();
  };
  await submit.waitFor();
  for (const wrong of ['wrong', 'wrong again']) {
    t.equal(await image.isVisible(), false);
    t.equal(await attempt(wrong), 422);
  }
  await demanded;
  await image.waitFor();
  const fresh = page.waitForResponse((response) => response.url().endsWith('/api/captcha?hint=1'));
  await page.getByLabel('Characters in the image').fill('wrong');
  t.equal(await attempt(password), 422);
  const { answer } = await (await fresh).json();
  const isElement = (await page.locator('tollgate-challenge').count()) > 0;
  if (!isElement) await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
  t.equal((await alerts(page)).length, isElement ? 0 : 1, 'shown once, by the element if there is one');
  await image.waitFor();
  await page.getByLabel('Characters in the image').fill(answer);
  t.same(await alerts(page), [], 'and no longer after the correction');
  t.equal(await attempt(password), 200);
  await page.getByText(`You are ${email}.`).waitFor();
  await page.reload();
  await page.getByText(`You are ${email}.`).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await submit.waitFor();
  t.same(said, [], 'no warnings: the solver is not degraded either');
  const isWorker = (url: string) => /\/(worker[\w-]*|(api\/captcha|client)\/tollgate)\.js/.test(url);
  t.ok(workers.length > 0 && workers.every(isWorker), workers.join(', '));
}

/** The page's own alerts. */
async function alerts(page: Page): Promise<string[]> {
  return (await page.getByRole('alert').allInnerTexts()).filter((text) => text !== '');
}

/** A new visitor logs in to an account with failures: an image is required, and effort replaces it. */
async function signInWithEffort(t: Test, { page }: Visit, email: string): Promise<void> {
  const submit = page.getByRole('button', { name: 'Sign in' });
  const attempt = async () => {
    const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
    await submit.click();
    return (await answered).status();
  };
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  t.equal(await attempt(), 422);
  const choice = page.getByRole('button', { name: 'let my device work instead' });
  await choice.waitFor();
  const isElement = (await page.locator('tollgate-challenge').count()) > 0;
  t.same(await alerts(page), isElement ? [] : ['Please also complete the additional check.']);
  t.equal(await page.getByText('This field is required.').count(), 0);
  await choice.click();
  const progress = page.getByRole('progressbar', { name: /^Extra work/ });
  await progress.waitFor();
  t.same(await alerts(page), [], 'nothing more is required');
  if (isElement) await page.getByText('Done: no image is needed.').first().waitFor();
  await submit.and(page.locator(':enabled')).waitFor();
  t.same(await alerts(page), []);
  t.equal(await attempt(), 200);
  await page.getByText(`You are ${email}.`).waitFor();
}

/** Fails to log in until the account requires more than work. */
async function fail(email: string): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.address);
  for (const _ of [1, 2]) {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('wrong');
    const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await answered;
  }
  await context.close();
}

/** The form cannot be sent until it is ready, or while a submission is in progress. */
async function sendOnce(t: Test): Promise<void> {
  const sent = () => site.requests.filter((request) => request === 'POST /login').length;
  const before = sent();
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  const submit = page.getByRole('button', { name: 'Sign in' });
  await page.route('**/api/captcha/pow*', (route) => route.abort(), { times: 1 });
  await page.goto(site.address);
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  t.equal(await submit.isDisabled(), true, 'after an error');

  const releaseWork = await holdUp(page, '**/api/captcha/pow*');
  await again.click();
  await again.waitFor({ state: 'detached' });
  t.equal(await submit.isDisabled(), true, 'while the work is done');
  t.equal(await page.getByText('Security check').isVisible(), true, 'and the page shows it');
  releaseWork();
  await page.getByLabel('E-mail').fill('nobody@example.com');
  await page.getByLabel('Password').fill('wrong');

  const releaseLogin = await holdUp(page, '**/login');
  const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
  await submit.dblclick();
  t.equal(await submit.isDisabled(), true, 'while waiting for the response');
  const enabled = await submit.evaluateHandle((button) => {
    const seen = { times: 0 };
    const look = () => {
      if (!button.hasAttribute('disabled')) seen.times += 1;
    };
    new MutationObserver(look).observe(button, { attributeFilter: ['disabled'] });
    return seen;
  });
  // A response slow enough that new work is fetched meanwhile, because the form is in use.
  const renewed = page.waitForResponse((response) => response.url().includes('/api/captcha/pow'));
  await page.clock.fastForward(11_000);
  await page.getByRole('heading').hover();
  await (await renewed).finished();
  releaseLogin();
  await answered;
  await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
  await submit.and(page.locator(':enabled')).waitFor();
  t.equal(sent() - before, 1);
  t.equal(await enabled.evaluate(({ times }) => times), 1, 'only with the response');
}

/** Blocks requests of the page. @returns a function that releases these and later ones */
async function holdUp(page: Page, url: string): Promise<() => void> {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, (route) => isReleased.then(() => route.continue()));
  return release;
}

/** Resolves with the solver state of the element after its first search. */
const solverOfElement = async (page: Page) => {
  const handle = await page.waitForFunction(
    () => document.querySelector('tollgate-challenge')?.controller?.state.solver,
  );
  return handle.jsonValue();
};

t.test('plain-form', async (t) => {
  const folder = install('plain-form');
  site.serve({ '/': folder });
  const visited = await visit(t);
  await signInAndOut(t, visited, 'plain@example.com');
  t.match(await solverOfElement(visited.page), { path: 'simd', degraded: false });
  await fail('plain@example.com');
  await signInWithEffort(t, await visit(t), 'plain@example.com');
});

t.test('plain-form requests no challenge while somebody is signed in', async (t) => {
  const folder = install('plain-form');
  const pages = { '/': folder };
  site.serve(pages);
  const { page } = await visit(t);
  await page.getByLabel('E-mail').fill('plain@example.com');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are plain@example.com.').waitFor();
  t.equal(site.requests.filter((asked) => asked === 'GET /api/captcha/pow').length, 1);
  site.serve(pages);
  await page.reload();
  await page.getByText('You are plain@example.com.').waitFor();
  const asked = site.requests.filter((request) => !request.endsWith('/tollgate.js'));
  t.same(asked, ['POST /refresh', 'GET /profile']);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  t.equal(site.requests.at(-1), 'GET /api/captcha/pow');
});

for (const name of ['react', 'vue', 'svelte']) {
  t.test(`${name}-form, built by Vite`, async (t) => {
    const root = install(`${name}-form`);
    if (name === 'react') t.equal(compile(['-p', root], root), '', 'its types are valid');
    await build({ root, logLevel: 'error' });
    const assets = readdirSync(join(root, 'dist', 'assets'));
    t.ok(
      assets.some((file) => /^worker-[\w-]+\.js$/.test(file)),
      `the worker is a separate file: ${assets}`,
    );
    site.serve({ '/': join(root, 'dist') });
    const visited = await visit(t);
    await signInAndOut(t, visited, `${name}@example.com`);
    await fail(`${name}@example.com`);
    await signInWithEffort(t, await visit(t), `${name}@example.com`);
    if (name === 'react') await t.test('a double click sends it once', sendOnce);
    if (name === 'vue') t.match(await solverOfElement(visited.page), { path: 'simd', degraded: false });
  });

  t.test(`${name}-form, in the development server of Vite`, async (t) => {
    const root = install(`${name}-form`);
    const server = await createServer({
      root,
      logLevel: 'error',
      server: { middlewareMode: true, hmr: { server: site.server } },
      appType: 'spa',
    });
    t.teardown(() => server.close());
    site.serve((request, response) => server.middlewares(request, response));
    await signInAndOut(t, await visit(t), `${name}-dev@example.com`);
  });
}

t.test('angular-form, built by Angular', async (t) => {
  const installed = await installExample(t, 'angular-form');
  await buildExample(installed);
  site.serve({ '/': join(installed.folder, 'dist', 'browser') });
  const visited = await visit(t);
  await signInAndOut(t, visited, 'angular@example.com');
  await fail('angular@example.com');
  await signInWithEffort(t, await visit(t), 'angular@example.com');
});

t.test('the documented Vite proxy and PUBLIC_URL are sufficient for a page', async (t) => {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const email = 'proxied@example.com';
  const system = await startSystem({
    startService: startServiceHere,
    environment: { ...cheap, DATA_DIR: tempDir(t), PUBLIC_URL: address },
    accounts: [{ email, password }],
  });
  t.teardown(() => system.stop());
  for (const name of ['react', 'vue']) {
    const root = install(`${name}-form`);
    const config = join(root, 'vite.config.js');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replace('localhost:8080', `127.0.0.1:${system.gatewayPort}`));
    const server = await createServer({ root, logLevel: 'error', server: { port, strictPort: true } });
    await server.listen();
    try {
      const page = await openPage(t, browser, address);
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(`You are ${email}.`).waitFor();
    } finally {
      await server.close();
    }
  }
});
