// The documents as a site: README.md and docs/, with search and a side bar.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The side bar's folders, in the order in which readers need them. Pages outside folders come last. */
const groups = [
  ['Browser package', 'docs/client'],
  ['Frameworks', 'docs/stacks'],
  ['Challenges', 'docs/challenges'],
  ['Sessions', 'docs/sessions'],
  ['Examples', 'docs/examples'],
  ['Operations', 'docs/operations'],
  ['Decisions', 'docs/decisions'],
  ['More', 'docs'],
];

const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path;
const urlOf = (path) => `/${inSite(path).replace(/(?:index)?\.md$/, '')}`;

function itemsOf(folder) {
  const pages = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  const paths = pages.map((name) => `${folder}/${name}`);
  const items = paths.map((path) => ({ text: titleOf(path).replaceAll('`', ''), link: urlOf(path) }));
  const isStart = ({ link }) => link.endsWith('/');
  return items.sort((a, b) => isStart(b) - isStart(a) || a.text.localeCompare(b.text));
}

/** A document's path in the site: docs/ is its root, README.md its start page. */
const inSite = (path) => path.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');

/** Links follow the pages; a link to a source file becomes plain text. Braces in code are plain text, too. */
function adaptText(markdown) {
  markdown.core.ruler.push('adapt_text', ({ tokens, env }) => {
    for (const { children } of tokens) {
      const open = [];
      for (const token of children ?? []) {
        if (token.type === 'code_inline') token.attrSet('v-pre', '');
        if (token.type === 'link_open') {
          const href = hrefInSite(token.attrGet('href') ?? '', env.realPath ?? env.path);
          open.push(href);
          if (href !== undefined) token.attrSet('href', href);
        }
        const href = token.type === 'link_close' ? open.pop() : open.at(-1);
        const isLink = token.type === 'link_open' || token.type === 'link_close';
        if (isLink && href === undefined) Object.assign(token, { type: 'text', content: '', nesting: 0 });
      }
    }
  });
}

/** The pages of the site: the README and the documents, without READMEs of packages. */
const inSource = (path) => path === 'README.md' || path.startsWith('docs/');

/** Undefined if the link target is no page of the site. */
function hrefInSite(href, page) {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path, fragment] = decodeURI(href).split('#');
  const target = relative(root, join(dirname(page), path));
  if (!target.endsWith('.md') || !inSource(target) || !existsSync(join(root, target))) return undefined;
  return `/${inSite(target)}${fragment === undefined ? '' : `#${fragment}`}`;
}

export default defineConfig({
  title: 'Tollgate',
  description: 'Login sessions and challenges for your own forms',
  base: '/docs/',
  srcDir: root,
  srcExclude: [
    ...readdirSync(root).filter((name) => !['README.md', 'docs'].includes(name)),
    'docs/examples/*/**',
  ].map((name) => (name.includes('/') || name.endsWith('.md') ? name : `${name}/**`)),
  ignoreDeadLinks: ['http://localhost:3000'],
  rewrites: inSite,
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  markdown: { config: adaptText },
  vite: { build: { emptyOutDir: true }, server: { fs: { allow: [root] } } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [{ text: 'Demo', link: '/../', target: '_self' }],
    sidebar: groups.map(([text, folder], at) => ({
      text,
      collapsed: at > 1,
      items: itemsOf(folder),
    })),
  },
});
