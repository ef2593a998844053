// Solver in a Vite bundle without configuration: Vite finds and copies the worker file.
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import t from 'tap';
import { build } from 'vite';
import type { Found } from '../../src/solver/solver.js';
import { startStaticSite } from '../support/static-site.js';
import { zeroBits } from '../support/zero-bits.js';

const head = '0123456789abcdef0123456789abcdef';
const solver = fileURLToPath(new URL('../../src/solver/solver.js', import.meta.url));

t.test('a bundled page solves in a worker, under a strict policy', async (t) => {
  const folder = t.testdir({
    'index.html':
      '<!doctype html><link rel="icon" href="data:,"><title>Bundled</title><script type="module" src="page.js"></script>',
    'page.js': `
      import { openSolver } from ${JSON.stringify(solver)};
      globalThis.found = openSolver().search({ head: '${head}', difficulty: 14 });`,
  });
  await build({ root: folder, configFile: false, logLevel: 'error' });
  const site = await startStaticSite({
    folders: { '/': `${folder}/dist/` },
    headers: {
      'Content-Security-Policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:",
    },
  });
  t.teardown(site.stop);
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  const page = await openPage(t, browser, `${site.address}/index.html`);
  await page.waitForFunction('globalThis.found');
  const found = (await page.evaluate('globalThis.found')) as Found;
  t.ok(zeroBits(head + found.nonce) >= 14);
  t.same(found.state, { path: 'simd', workers: 1, degraded: false });
  t.notOk(
    site.requested.some((path) => path.includes('main-thread-fallback')),
    'code for the main thread only is not loaded',
  );
});
