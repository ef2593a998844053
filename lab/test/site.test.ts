// The documents as a site: built by VitePress, behind the launcher, in a browser.

import { readFileSync } from 'node:fs';
import { openDemo, visit } from '@tollgate/tests/demo/demo-page-visit.js';
import { documentsSite } from '@tollgate/tools/demo/documents.js';
import t from 'tap';

// Its links are checked by the build.
if (!documentsSite.isFresh()) await documentsSite.build();

t.test('the search finds the page of a task, and the path of a document leads to its page', async (t) => {
  const { system, browser } = await openDemo(t);
  const { page } = await visit(t, browser, system, { path: '/docs/README.md' });
  await page.waitForURL(`${system.address}/docs/`);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByPlaceholder('Search').fill('rotate keys');
  await page
    .getByRole('option', { name: /rotate/i })
    .first()
    .click();
  await page.waitForURL(/\/docs\/operations\/rotate-keys/);
  await page.locator('h1', { hasText: /rotate/i }).waitFor();
  await page.goto(`${system.address}/docs/client/element.md`);
  await page.waitForURL(/\/docs\/client\/element\.html$/);
  t.match(await page.locator('h1').textContent(), 'The form element');
});

t.test('no page links to a source file', async (t) => {
  const page = readFileSync(`${documentsSite.folder}/architecture.html`, 'utf8');
  t.match(page, 'challenge-guard.ts');
  t.notMatch(page, /href="[^"]*\.ts"/);
});
