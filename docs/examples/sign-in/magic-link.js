// Sign-in with a link in a mail, and a session of Tollgate behind it.
import { createHash, randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import Fastify from 'fastify';
import { nowSeconds, page, servePages, signInCode } from './tollgate.js';

const LINK_MS = 600_000;
/** Links that are kept; beyond that the oldest is forgotten. */
const MAX_LINKS = 10_000;
const random = () => randomBytes(24).toString('base64url');
const hash = (text) => createHash('sha256').update(text).digest('base64url');

const CONTENT = `<form><input name="email" type="email" required><button>Send me a link</button></form>
<script type="module">
import { post, signIn, tell } from '/page.js';

// Behind the # it is in no log, and a program that looks at the links of a mail does not spend it.
const token = new URLSearchParams(location.hash.slice(1)).get('token');
history.replaceState(null, '', location.pathname);
if (token) await post('/link', { token }).then(({ code }) => signIn(code)).catch(({ message }) => tell(message));

document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  await post('/links', { email: event.target.email.value }).catch(({ message }) => tell(message));
  tell('If there is an account of that address, a mail is on its way.');
});
</script>`;

const text = { type: 'string', minLength: 1, maxLength: 254 };
const bodyOf = (name) => ({
  schema: { body: { type: 'object', required: [name], properties: { [name]: text } } },
});

/**
 * @param {object} options
 * @param {import('./tollgate.js').Tollgate} options.tollgate
 * @param {(email: string) => Promise<number | undefined>} options.userOf finds the user of an address
 * @param {(email: string, link: string) => Promise<void>} options.send sends the mail
 */
export async function buildMagicLink({ tollgate, userOf, send }) {
  const app = Fastify({ logger: true });
  await app.register(cookie);
  servePages(app);
  /** Links by the hashes of their tokens. Several processes keep them in a store. */
  const links = new Map();
  const secure = tollgate.origin.startsWith('https:');

  /** Keeps a link, and forgets those that have ended: all live equally long, so the oldest end first. */
  const keep = (key, link) => {
    for (const [oldest, { endsMs }] of links) {
      if (endsMs > Date.now() && links.size < MAX_LINKS) break;
      links.delete(oldest);
    }
    links.set(key, link);
  };

  app.get('/', async (_request, reply) => reply.type('text/html').send(page(tollgate, { content: CONTENT })));

  // Guard this form with a challenge: whoever sends it makes you send mails.
  app.post('/links', bodyOf('email'), async (request, reply) => {
    const { email } = request.body;
    const browser = request.cookies.browser ?? random();
    reply.setCookie('browser', browser, {
      httpOnly: true,
      secure,
      sameSite: 'strict',
      path: '/',
      maxAge: 600,
    });
    const userId = await userOf(email);
    if (userId !== undefined) {
      const token = random();
      keep(hash(token), { userId, browser: hash(browser), endsMs: Date.now() + LINK_MS });
      // Not awaited: the answer must not tell whether there is an account.
      send(email, `${tollgate.origin}/#token=${token}`).catch((error) => request.log.error(error));
    }
    return {};
  });

  app.post('/link', bodyOf('token'), async (request, reply) => {
    const key = hash(request.body.token);
    const link = links.get(key);
    // Only in the browser that asked: a link that somebody else has sent must not sign this one in as that person.
    const isHere = link?.browser === hash(request.cookies.browser ?? '');
    if (!isHere || link.endsMs <= Date.now()) {
      return reply
        .code(403)
        .send({ message: 'Please open the link where you asked for it, within ten minutes.' });
    }
    links.delete(key);
    return { code: await signInCode(tollgate, link.userId, { amr: ['otp'], auth_time: nowSeconds() }) };
  });
  return app;
}
