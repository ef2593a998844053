// The documents that the demo page links to: rendered under its policy, with no link that leads nowhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveDocuments } from '@tollgate/tools/demo/documents.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { fastify } from 'fastify';
import t from 'tap';

const app = fastify();
await serveDocuments(app);
t.teardown(() => app.close());

const attribute = (text: string, name: string) =>
  [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

/** The pages that can be reached from README.md, by their paths. */
async function readAll(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const waiting = ['/README.md'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { statusCode, body } = await app.inject(path);
    if (statusCode !== 200) t.fail(`${path} answers ${statusCode}`);
    pages.set(path, body);
    if (!path.endsWith('.md')) continue;
    const main = body.slice(body.indexOf('<main'));
    for (const link of [...attribute(main, 'href'), ...attribute(main, 'src')]) {
      const { origin, pathname } = new URL(link, `http://here${path}`);
      if (origin === 'http://here') waiting.push(pathname);
    }
  }
  return pages;
}

t.test('every link in the documents leads to a page, and every fragment to a heading', async (t) => {
  const pages = await readAll();
  t.ok(pages.size > 30, `${pages.size} pages`);
  for (const [path, body] of pages) {
    if (!path.endsWith('.md')) continue;
    for (const link of attribute(body.slice(body.indexOf('<main')), 'href')) {
      const { origin, pathname, hash } = new URL(link, `http://here${path}`);
      if (origin !== 'http://here' || hash === '') continue;
      t.ok(attribute(pages.get(pathname) ?? '', 'id').includes(hash.slice(1)), `${path} links to ${link}`);
    }
  }
});

t.test('a document is a page in the style of the others, without inline code or style', async (t) => {
  const { body, headers } = await app.inject('/docs/client/element.md');
  t.match(headers['content-type'], /^text\/html/);
  t.match(body, '<title>The form element · Tollgate</title>');
  t.same(attribute(body, 'href').slice(0, 4), [
    '../../icon.svg',
    '../../style/base.css',
    '../../style/brand.css',
    '../../style/document.css',
  ]);
  t.notMatch(body, /<style|\sstyle=|\son[a-z]+=|<script>/);
  t.match(body, '<code>&lt;tollgate-challenge&gt;</code>', 'code is text');
});

t.test('sources are neither linked nor served, and examples are only shown', async (t) => {
  const { body } = await app.inject('/docs/architecture.md');
  t.match(body, 'challenge-guard.ts');
  t.notMatch(body, /href="[^"]*\.ts/);
  for (const path of [
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/tools/package.json',
    '/data/secrets.json',
    '/docs/',
  ]) {
    t.equal((await app.inject(path)).statusCode, 404, path);
  }
  const example = await app.inject('/docs/examples/plain-form/index.html');
  t.equal(example.headers['content-type'], 'text/plain; charset=utf-8');
  t.equal(example.body, readFileSync(join(projectRoot, 'docs/examples/plain-form/index.html'), 'utf8'));
});
