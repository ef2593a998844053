// What a visitor needs for a form of their own: the lines of the guide, and the documents to go on with.

import { find } from '../find.js';
import { translate } from '../i18n.js';
import { createCopiedCode } from './copied-code.js';
import { createLink } from './link.js';

// A test compares both with README.md.
export const serverLines = `import { captcha, challengeGuard, formBodies, pow } from '@tollgate/fastify';
import Fastify from 'fastify';

const app = Fastify({ trustProxy: 'loopback' });
await app.register(challengeGuard, { application: 'newsletter', environment: process.env });
await app.register(formBodies); // accepts plain HTML forms in addition to JSON
app.post('/subscribe', { config: { guards: [pow] } }, async () => ({ subscribed: true }));
app.post('/contact', { config: { guards: [captcha, pow] } }, async () => ({ sent: true }));
await app.listen({ port: Number(process.env.PORT ?? 3000) });`;

export const pageLines = `<script type="module" src="/tollgate/element.js"></script>
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

export function showOwnForm() {
  find('own-lines').append(
    createCopiedCode({ title: translate('own_page'), code: pageLines }),
    createCopiedCode({ title: translate('own_server'), code: serverLines }),
  );
  find('own-links').append(
    createLink('own_forms', 'forms'),
    ...Object.entries(documents).map(([key, path]) => createLink(key, path, 'en')),
  );
}
