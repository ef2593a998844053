// The lines of the guide for a visitor's own form, and links to further documents.

import { find } from '../find.js';
import { translate } from '../i18n.js';
import { createCopiedCode } from './copied-code.js';
import { createLink } from './link.js';

// A test compares both with README.md.
const serverLines = `import { readFile } from 'node:fs/promises';
import { captcha, challengeGuard, formBodies, pow } from '@tollgate/fastify';
import Fastify from 'fastify';

const app = Fastify({ trustProxy: 'loopback', logger: true });
await app.register(challengeGuard, { application: 'newsletter', environment: process.env });
await app.register(formBodies); // accepts plain HTML forms in addition to JSON
app.get('/', async (_request, reply) => reply.type('text/html').send(await readFile('index.html')));
app.post('/subscribe', { config: { guards: [pow] } }, async () => ({ subscribed: true }));
app.post('/contact', { config: { guards: [captcha, pow] } }, async () => ({ sent: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
await app.listen({ port: Number(process.env.PORT ?? 3000) });`;

const elementLine = '<script type="module" src="/api/captcha/tollgate.js"></script>';

const pageLines = `<!doctype html>
<script type="module" src="http://localhost:8080/api/captcha/tollgate.js"></script>
<form method="post" action="/subscribe">
  <input type="email" name="email" aria-label="E-mail" required>
  <tollgate-challenge></tollgate-challenge>
  <button>Subscribe</button>
</form>`;

const documents = {
  own_guide: 'README.md#guard-a-form',
  own_element: 'docs/client/element.md',
  own_challenges: 'docs/challenges/README.md',
  own_threats: 'docs/threat-model.md',
  own_deploy: 'docs/deploy.md',
};

/** The address of the challenge routes; `PUBLIC_URL` may have a path. @param {string} [prefix] */
const challengeRoutes = (prefix = 'api/captcha') => new URL(`./${prefix}/`, location.href);

/** The line that loads the element into a page of the same origin. @param {string} [prefix] of the challenge routes */
export function scriptLine(prefix) {
  return elementLine.replace('/api/captcha/', challengeRoutes(prefix).pathname);
}

/** @param {string} [prefix] of the challenge routes */
export function showOwnForm(prefix) {
  const code = pageLines.replace('http://localhost:8080/api/captcha/', challengeRoutes(prefix).href);
  find('own-lines').append(
    createCopiedCode({ title: translate('own_page'), code }),
    createCopiedCode({ title: translate('own_server'), code: serverLines }),
  );
  find('own-links').append(
    createLink('own_forms', 'forms'),
    ...Object.entries(documents).map(([key, path]) => createLink(key, path, 'en')),
  );
}
