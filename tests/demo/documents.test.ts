// The documents beside the demo page: built at the first visit, found by their project paths.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import { type Site, serveDocuments } from '@tollgate/tools/demo/documents.js';
import { fastify } from 'fastify';
import t, { type Test } from 'tap';

const PAGE =
  '<!doctype html><script id="theme">let a;</script><script type="module" src="/docs/app.js"></script>';

/** A site with two pages. */
function testSite(t: Test, build: (folder: string) => Promise<void>): Site {
  const folder = tempDir(t);
  let isFresh = false;
  return {
    folder,
    isFresh: () => isFresh,
    async build() {
      await build(folder);
      writeFileSync(join(folder, 'index.html'), PAGE);
      mkdirSync(join(folder, 'client'));
      writeFileSync(join(folder, 'client', 'index.html'), PAGE);
      isFresh = true;
    },
  };
}

async function serve(t: Test, site: Site) {
  const app = fastify();
  await serveDocuments(app, site);
  t.teardown(() => app.close());
  return app;
}

t.test('the first visit shows that the site is being built, and then the site', async (t) => {
  let finish = () => {};
  let builds = 0;
  const site = testSite(t, () => {
    builds += 1;
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  const app = await serve(t, site);
  for (let reader = 0; reader < 2; reader += 1) {
    const { statusCode, headers, body } = await app.inject('/docs/');
    t.match(
      { statusCode, headers, body },
      { statusCode: 200, headers: { refresh: '3' }, body: /being built/ },
    );
  }
  t.equal(builds, 1);
  finish();
  await until(async () => (await app.inject('/docs/')).body === PAGE, 'the site');
  const { headers } = await app.inject('/docs/client/');
  t.match(headers['content-type'], /^text\/html/);
  // printf 'let a;' | openssl dgst -sha256 -binary | base64
  const hash = '81WALLbUROF1pWdYjuQYKuIcGgY/+TqVJr8UsV6Tkvo=';
  t.match(headers['content-security-policy'], `script-src 'self' 'sha256-${hash}';`);
});

t.test('a failed build returns 503 with the reason, and is retried', async (t) => {
  let failures = 1;
  const site = testSite(t, async () => {
    if (failures-- > 0) throw new Error('npm has no network');
  });
  const app = await serve(t, site);
  await app.inject('/docs/');
  const { statusCode, body } = await app.inject('/docs/');
  t.equal(statusCode, 503);
  t.match(body, /folder docs.*npm has no network/s);
  await until(async () => (await app.inject('/docs/')).body === PAGE, 'the site');
});

t.test('a document dated in the future is built once, not for ever', async (t) => {
  let builds = 0;
  const site = testSite(t, async () => {
    builds += 1;
  });
  const app = await serve(t, { ...site, isFresh: () => false });
  await app.inject('/docs/');
  await until(async () => (await app.inject('/docs/')).body === PAGE, 'the site');
  t.equal(builds, 1);
});

t.test('project paths lead to the pages, and nothing else is served', async (t) => {
  const app = await serve(
    t,
    testSite(t, async () => {}),
  );
  const paths = [
    ['/README.md', 'docs/'],
    ['/docs', 'docs/'],
    ['/docs/README.md', './'],
    ['/docs/client/element.md', 'element.html'],
  ] as const;
  for (const [path, target] of paths) {
    const { statusCode, headers } = await app.inject(path);
    t.match({ statusCode, location: headers.location }, { statusCode: 302, location: target }, path);
  }
  await until(async () => (await app.inject('/docs/')).body === PAGE, 'the site');
  for (const path of [
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/tools/package.json',
    '/docs/no',
  ]) {
    t.equal((await app.inject(path)).statusCode, 404, path);
  }
});
