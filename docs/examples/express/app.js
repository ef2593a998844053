import { createVerifier } from '@tollgate/verify';
import express from 'express';

const verify = createVerifier({ hostApi: process.env.HOST_API_URL, key: process.env.HOST_API_KEY });

const app = express();
app.set('trust proxy', 'loopback');

const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The form; after a refusal with its message and the element's attributes. */
function page({ email = '', text = '', message = '', attributes = {} }) {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `<!doctype html>
<html lang="en">
<title>Contact</title>
<script type="module" src="/api/captcha/tollgate.js"></script>
<p role="alert">${escaped(message)}</p>
<form method="post" action="/contact">
  <p><label>E-mail <input name="email" type="email" value="${escaped(email)}" required></label></p>
  <p><label>Your message <textarea name="text" required>${escaped(text)}</textarea></label></p>
  <tollgate-challenge ${pairs.join(' ')}></tollgate-challenge>
  <button>Send</button>
</form>`;
}

app.get('/contact', (_req, res) => res.send(page({})));

app.post('/contact', express.urlencoded({ extended: false }), async (req, res) => {
  const verdict = await verify(req.body, { ip: req.ip, language: req.get('accept-language') });
  if (verdict.outcome === 'unavailable') console.error(verdict.reason);
  const [email, text] = [String(req.body?.email ?? ''), String(req.body?.text ?? '')];
  const refuse = (status, message) =>
    res
      .status(status)
      .set('cache-control', 'no-store')
      .send(page({ ...verdict, email, text, message }));
  if (verdict.ok === false) return refuse(verdict.status, verdict.body.message);
  if (text.length < 10) return refuse(422, 'Please write at least 10 characters.');
  await deliver({ email, text });
  res.send('<!doctype html><title>Contact</title><p>Thank you.</p>');
});

/** Replace it with your own. */
async function deliver(message) {
  console.log('Delivered', JSON.stringify(message));
}

app.listen(Number(process.env.PORT ?? 3000));
