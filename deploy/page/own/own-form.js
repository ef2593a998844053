// What a visitor needs for a form of their own: the lines of the guide, and the documents to go on with.

import { find } from '../find.js';
import { translate } from '../i18n.js';
import { createCopiedCode } from './copied-code.js';
import { createLink } from './link.js';

// A test compares both with README.md.
const serverLines = `import { captcha, challengeGuard, formBodies, pow } from '@tollgate/fastify';
import Fastify from 'fastify';

const app = Fastify({ trustProxy: 'loopback', logger: true });
await app.register(challengeGuard, { application: 'newsletter', environment: process.env });
await app.register(formBodies); // accepts plain HTML forms in addition to JSON
app.post('/subscribe', { config: { guards: [pow] } }, async () => ({ subscribed: true }));
app.post('/contact', { config: { guards: [captcha, pow] } }, async () => ({ sent: true }));
await app.listen({ port: Number(process.env.PORT ?? 3000) });`;

const pageLines = `<script type="module" src="/api/captcha/tollgate.js"></script>
<form method="post" action="/subscribe">
  <input type="email" name="email" aria-label="E-mail" required>
  <tollgate-challenge></tollgate-challenge>
  <button>Subscribe</button>
</form>`;

const documents = {
  own_guide: 'README.md#guard-a-form',
  own_element: 'docs/client/element.md',
  own_challenges: 'docs/challenges.md',
  own_threats: 'docs/threat-model.md',
  own_deploy: 'docs/deploy.md',
};

/** The line that brings the element into a page. @param {string} [prefix] of the challenge routes */
export function scriptLine(prefix = 'api/captcha') {
  // `PUBLIC_URL` may have a path.
  const { pathname } = new URL(`./${prefix}/`, location.href);
  return pageLines.split('\n')[0].replace('/api/captcha/', pathname);
}

/** @param {string} [prefix] of the challenge routes */
export function showOwnForm(prefix) {
  const [, ...form] = pageLines.split('\n');
  find('own-lines').append(
    createCopiedCode({ title: translate('own_page'), code: [scriptLine(prefix), ...form].join('\n') }),
    createCopiedCode({ title: translate('own_server'), code: serverLines }),
  );
  find('own-links').append(
    createLink('own_forms', 'forms'),
    ...Object.entries(documents).map(([key, path]) => createLink(key, path, 'en')),
  );
}
