// A contact form that the server renders. Its page has no script of its own: one line loads the element, and where
// JavaScript is off the form has an image in its place, if the operator allows that (`CAPTCHA_NO_SCRIPT=image`).
import { challengeGuard, formBodies, pow } from '@tollgate/fastify';
import Fastify from 'fastify';

const message = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', minLength: 1, maxLength: 5000 } },
};

/**
 * @param {object} options
 * @param {Record<string, string | undefined>} options.environment `CHALLENGE_SECRET`, the store and `CAPTCHA_*`, as the
 *   challenge service has them; `TRUST_PROXY` where a proxy is in front; `TOLLGATE_URL`, the address of the challenge
 *   service without the path of its routes, where it is not that of the page
 * @param {(text: string) => Promise<void>} options.deliver
 */
export async function buildServerForm({ environment, deliver }) {
  const app = Fastify({ logger: true, trustProxy: environment.TRUST_PROXY?.split(',') ?? false });
  const service = environment.TOLLGATE_URL ?? '';
  await app.register(challengeGuard, { application: 'server-form', environment });
  await app.register(formBodies);

  /** The page of the form. Each has an image of its own, so no cache may keep it. */
  const sendForm = (reply, values) =>
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(formPage({ ...values, service, image: app.captcha.noScriptImage() }));

  const onRefused = (request, reply, { body }) =>
    sendForm(reply, { text: request.body?.text, refusal: body.message });

  app.get('/contact', async (_request, reply) => sendForm(reply, {}));
  app.post(
    '/contact',
    { schema: { body: message }, config: { guards: [pow], onRefused } },
    async (request, reply) => {
      await deliver(request.body.text);
      return reply.type('text/html; charset=utf-8').send(page('Sent', '<p>Thank you.</p>'));
    },
  );
  return app;
}

function formPage({ service, image, text = '', refusal = '' }) {
  return page(
    'Contact',
    `<script type="module" src="${escaped(service)}/api/captcha/tollgate.js"></script>
<form method="post" action="/contact">
  <p role="alert">${escaped(refusal)}</p>
  <p><label>Your message <textarea name="text" required>${escaped(text)}</textarea></label></p>
  <noscript>${withoutScript(service, image)}</noscript>
  <tollgate-challenge></tollgate-challenge>
  <button>Send</button>
</form>`,
  );
}

/** What a browser shows only without JavaScript. */
function withoutScript(service, image) {
  if (image === null) return '<p>This form needs JavaScript.</p>';
  return `
    <p><img src="${escaped(service + image.path)}" alt="Characters to type" width="240" height="80"></p>
    <p><label>Characters in the image <input name="captcha" required autocomplete="off" autocapitalize="off"
      spellcheck="false"></label></p>
    <input type="hidden" name="captcha_token" value="${image.token}">`;
}

function page(title, body) {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>`;
}

function escaped(value) {
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
