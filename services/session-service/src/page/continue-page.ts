// The page that refreshes a session and then opens the requested page.

import { createHash } from 'node:crypto';
import { escapeHtml, type Language, messageIn, rightToLeft } from '@tollgate/shared/messages';

/** Values of the page. */
interface ContinueVisit {
  readonly language: Language;
  /** The path of `PUBLIC_URL`, without a trailing slash. */
  readonly basePath: string;
  /** The absolute address to open. */
  readonly to: string;
  /** That of the login page; null if `to` is the login page. */
  readonly login: string | null;
}

const style = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; box-sizing: border-box; text-align: center; }
main { animation: late 1s step-end; }
[hidden] { display: none; }
@keyframes late { from { visibility: hidden; } }
`;

/** @returns the page of a visit, and its policy: only its own script and style, and requests to its own host */
export function createContinuePage(script: string): {
  readonly policy: string;
  readonly html: (visit: ContinueVisit) => string;
} {
  return {
    policy: [
      "default-src 'none'",
      `script-src '${hashOf(script)}'`,
      `style-src '${hashOf(style)}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
    html({ language, basePath, to, login }) {
      const text = (key: Parameters<typeof messageIn>[1]) => escapeHtml(messageIn(language, key));
      const values = {
        'data-base': basePath,
        'data-to': to,
        'data-login': login ?? '',
        'data-signed-out': messageIn(language, 'token_invalid'),
        'data-away': messageIn(language, 'store_unavailable'),
        'data-failed': messageIn(language, 'internal_error'),
      };
      const attributes = Object.entries(values).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
      const href = escapeHtml(login ?? to);
      // Without JavaScript nothing can refresh, so the visitor logs in again.
      const noScript =
        login === null ? '' : `<noscript><meta http-equiv="refresh" content="0; url=${href}"></noscript>`;
      return `<!doctype html>
<html lang="${language}" dir="${rightToLeft.includes(language) ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${text('one_moment')}</title><style>${style}</style>${noScript}</head>
<body${attributes.join('')}><main><p id="note" role="status">${text('one_moment')}</p><p id="login" hidden><a href="${href}">${text('token_invalid')}</a></p></main><script type="module">${script}</script></body>
</html>
`;
    },
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
