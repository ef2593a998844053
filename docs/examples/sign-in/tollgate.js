// What the three sign-ins share: the two calls to Tollgate's admin port, and the pages.
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Tollgate
 * @property {string} publicUrl where browsers reach Tollgate: `PUBLIC_URL` and a slash
 * @property {string} adminUrl its admin port, which only applications reach
 * @property {string} apiKey `SESSION_API_KEY`
 * @property {string} origin of this application's pages: `CORS_ORIGIN`, or that of `PUBLIC_URL`
 */

/**
 * Asks for a code that signs a user in, once, within a minute, on a page of this application.
 * @param {Tollgate} tollgate
 * @param {number} userId
 * @param {{ amr?: string[], auth_time?: number }} claims how and when the user was authenticated
 */
export async function signInCode({ adminUrl, apiKey, origin }, userId, claims) {
  const response = await fetch(`${adminUrl}/users/${userId}/sign-in-codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ origin, ...claims }),
  });
  if (!response.ok) throw new Error(`no sign-in code: ${response.status} ${await response.text()}`);
  return (await response.json()).code;
}

/**
 * The claims of an access token, or `{ active: false }`.
 * @param {Tollgate} tollgate
 * @param {string | undefined} authorization header of a request
 */
export async function introspect({ adminUrl, apiKey }, authorization = '') {
  const response = await fetch(`${adminUrl}/introspect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: new URLSearchParams({ token: authorization.replace(/^bearer /i, '') || '-' }),
  });
  if (!response.ok) throw new Error(`not introspected: ${response.status}`);
  return response.json();
}

/** Now, in the seconds of `auth_time`. */
export const nowSeconds = () => Math.floor(Date.now() / 1000);

const files = {
  '/page.js': new URL('page.js', import.meta.url),
  '/session.js': new URL(import.meta.resolve('@tollgate/client/tollgate.js')),
};

/** Serves the scripts of the pages. Nothing of a page may stay in a cache: it may hold a code. */
export function servePages(app, more = {}) {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  });
  for (const [path, url] of Object.entries({ ...files, ...more })) {
    app.get(path, async (_request, reply) =>
      reply.type('text/javascript').send(createReadStream(fileURLToPath(url))),
    );
  }
}

/**
 * A page that says whether somebody is signed in.
 * @param {Tollgate} tollgate
 * @param {{ code?: string, content?: string }} options a code for `page.js` to exchange, and more HTML
 */
export function page({ publicUrl }, { code = '', content = '' }) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sign in</title>
<body data-tollgate="${publicUrl}" data-code="${code}">
<p><output>unknown</output></p>
<p role="alert"></p>
${content}
<button id="sign-out">Sign out</button>
<script type="module" src="/page.js"></script>
`;
}
