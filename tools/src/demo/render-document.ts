// Renders a Markdown document as a page under the policy of the demo page: no inline code, no inline style.
import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';

/**
 * Returns the HTML page of a document.
 *
 * @param path its path in the project, such as `docs/client/element.md`
 * @param served the paths that a link may lead to
 */
export function renderDocument(path: string, markdown: string, served: ReadonlySet<string>): string {
  const folder = posix.dirname(path);
  const home = '../'.repeat(path.split('/').length - 1) || './';
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? path;
  const text = parserFor(folder, served).parse(markdown, { async: false });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Tollgate</title>
<link rel="icon" type="image/svg+xml" href="${home}icon.svg">
<link rel="stylesheet" href="${home}style/base.css">
<link rel="stylesheet" href="${home}style/brand.css">
<link rel="stylesheet" href="${home}style/document.css">
</head>
<body>
<header class="top">
<a class="name" href="${home}"><img src="${home}icon.svg" alt="" width="32" height="32">Tollgate</a>
<nav aria-label="Pages"><a href="${home}">Try it</a> <a href="${home}forms">Forms</a> <a href="${home}README.md#documents">All documents</a></nav>
</header>
<main class="document">
${text}</main>
</body>
</html>
`;
}

function parserFor(folder: string, served: ReadonlySet<string>): Marked {
  const ids = new Map<string, number>();
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const id = slugOf(text);
        const earlier = ids.get(id) ?? 0;
        ids.set(id, earlier + 1);
        const unique = earlier === 0 ? id : `${id}-${earlier}`;
        return `<h${depth} id="${escapeHtml(unique)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const text = this.parser.parseInline(tokens);
        if (/^https?:/.test(href)) {
          return `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${text}</a>`;
        }
        const [file = ''] = href.split('#');
        const isServed = file === '' || served.has(posix.join(folder, decodeURI(file)));
        return isServed ? `<a href="${escapeHtml(href)}">${text}</a>` : text;
      },
      code({ text }: Tokens.Code): string {
        // Reachable by keyboard, because it scrolls where it is too wide.
        return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table): string {
        const row = (cells: readonly Tokens.TableCell[], name: 'td' | 'th') => {
          const texts = cells.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`);
          return `<tr>${texts.join('')}</tr>\n`;
        };
        const rows = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="wide" role="group" aria-label="Table" tabindex="0"><table>
<thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
}

/** The id that code hosts give to a heading, which the links between documents use. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}
