// State of session and challenge in components of Vue and Solid, in a browser; docs/examples has those of Svelte and Angular.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChallengeController } from '@tollgate/client/challenge';
import { password, startAppSite } from '@tollgate/tests/browser/app-site.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import t, { type Test } from 'tap';
import { build } from 'vite';
import type {} from './page.js';

const email = 'ann@example.com';
const site = await startAppSite(t, [email]);
const browser = await launchBrowser();
t.teardown(() => browser.close());

const root = t.testdir({
  'index.html': `<!doctype html><html lang="en"><title>Components</title>
    <script type="module" src="/page.js"></script><form><div id="root"></div></form></html>`,
  'page.js': `import { pageFramework } from ${JSON.stringify(fileURLToPath(new URL('page.js', import.meta.url)))};
globalThis.framework = pageFramework;`,
});
await build({ root, configFile: false, logLevel: 'error' });

declare global {
  var mounted: ReturnType<typeof framework.mount>;
  var own: ChallengeController;
}

const works = () => site.requests.filter((request) => request === 'GET /api/captcha/pow').length;

async function open(t: Test, name: string) {
  site.serve({ '/': join(root, 'dist') });
  const page = await openPage(t, browser, `${site.address}/?${name}`);
  await page.waitForFunction(() => 'framework' in globalThis);
  return page;
}

for (const name of ['vue', 'solid']) {
  t.test(`${name}: a component shows both states, and closes its challenge`, async (t) => {
    const page = await open(t, name);
    await page.evaluate(() => {
      globalThis.mounted = framework.mount(document.querySelector('#root')!);
    });
    await page.getByText('ready unknown', { exact: true }).waitFor();
    await page.evaluate(() => framework.session.resume());
    await page.getByText('ready signed-out', { exact: true }).waitFor();
    t.equal(works(), 1, 'the element has no challenge of its own');
    const fields = await page.evaluate(() => [...new FormData(document.forms[0]).keys()]);
    t.same(fields, ['pow_token', 'pow_nonce']);
    await page.evaluate(
      ({ email, password }) =>
        mounted.controller.submit((fields) => framework.session.login({ email, password, ...fields })),
      { email, password },
    );
    await page.getByText(/ signed-in$/).waitFor();
    await page.evaluate(() => mounted.unmount());
    await page.waitForFunction(() => mounted.controller.status === 'idle');
    const refusal = await page.evaluate(() => mounted.controller.take().catch((error: Error) => error.name));
    t.equal(refusal, 'AbortError');
  });

  t.test(`${name}: the controller of another component stays open`, async (t) => {
    const page = await open(t, name);
    await page.evaluate(() => {
      globalThis.own = framework.createChallenge();
      globalThis.mounted = framework.mount(document.querySelector('#root')!, own);
    });
    await page.getByText('ready unknown', { exact: true }).waitFor();
    t.equal(works(), 1);
    const names = await page.evaluate(async () => {
      mounted.unmount();
      return Object.keys(await own.take());
    });
    t.same(names, ['pow_token', 'pow_nonce']);
  });
}
