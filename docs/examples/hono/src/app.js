import { createVerifier } from '@tollgate/verify';
import { Hono } from 'hono';
import { env } from 'hono/adapter';
import { html } from 'hono/html';

const app = new Hono();

/** The form with a widget; after a refusal with its message. */
const page = (tollgate, { email = '', text = '', message = '' }) => html`<!doctype html>
<html lang="en">
<title>Contact</title>
<script src="${tollgate}/api/captcha/turnstile/v0/api.js" async></script>
<p role="alert">${message}</p>
<form method="post" action="/contact">
  <p><label>E-mail <input name="email" type="email" value="${email}" required></label></p>
  <p><label>Your message <textarea name="text" required>${text}</textarea></label></p>
  <div class="cf-turnstile" data-sitekey="shop" data-action="contact"></div>
  <button>Send</button>
</form>`;

app.get('/contact', (c) => c.html(page(env(c).TOLLGATE_URL, {})));

app.post('/contact', async (c) => {
  const { TOLLGATE_URL, TOLLGATE_SECRET } = env(c);
  const verify = createVerifier({
    siteverify: `${TOLLGATE_URL}/api/captcha/siteverify`,
    secret: TOLLGATE_SECRET,
    site: 'shop',
    action: 'contact',
  });
  const form = await c.req.parseBody().catch(() => ({}));
  const verdict = await verify(form);
  if (verdict.outcome === 'unavailable') console.error(verdict.reason);
  const [email, text] = [String(form.email ?? ''), String(form.text ?? '')];
  const refuse = (status, message) => c.html(page(TOLLGATE_URL, { email, text, message }), status);
  if (verdict.ok === false) return refuse(verdict.status, verdict.body.message);
  if (text.length < 10) return refuse(422, 'Please write at least 10 characters.');
  await deliver({ email, text });
  return c.html('<!doctype html><title>Contact</title><p>Thank you.</p>');
});

/** Replace it with your own. */
async function deliver(message) {
  console.log('Delivered', JSON.stringify(message));
}

export default app;
