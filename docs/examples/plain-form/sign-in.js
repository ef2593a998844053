// Signs in with the form, shows who is signed in, and logs out.
// The service's own file also defines the element.
import { createSession } from '/api/captcha/tollgate.js';

const session = createSession();
const form = document.querySelector('form');
const challenge = document.querySelector('tollgate-challenge');
const refusal = document.querySelector('#refusal');
const signedIn = document.querySelector('section');
const problem = document.querySelector('#problem');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  refusal.textContent = '';
  const { email, password } = Object.fromEntries(new FormData(form));
  try {
    const response = await challenge.controller.submit((fields) =>
      session.login({ email, password, ...fields }),
    );
    if (response.ok) return;
    const { code, message } = await response.json();
    // The element itself says that an image is required or was wrong.
    if (!code.startsWith('captcha_')) refusal.textContent = message;
  } catch (error) {
    if (error.name === 'CaptchaUnansweredError') return;
    refusal.textContent = 'The server does not respond. Please try again.';
  }
});

form.addEventListener('input', () => {
  refusal.textContent = '';
});

signedIn.querySelector('button').addEventListener('click', () => session.logout().catch(alert));

session.subscribe(show);
// Without an answer the state says so, and the session asks again by itself.
session.resume().catch(() => {});

async function show() {
  const { status, reason } = session.state;
  problem.textContent = status === 'unknown' && reason ? 'The server does not respond. Trying again …' : '';
  form.hidden = status !== 'signed-out';
  signedIn.hidden = status !== 'signed-in' && status !== 'refreshing';
  // Challenges cost work, so none is fetched while somebody is signed in.
  challenge.disabled = form.hidden;
  if (status !== 'signed-in') return;
  form.reset();
  const response = await session.fetch('/profile');
  if (response.ok) document.querySelector('#email').textContent = (await response.json()).email;
}
