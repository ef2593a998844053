// The demo page: a form that pays with a proof of work, and the session behind it.
import { createApi } from './api.js';
import { createWork } from './challenge.js';
import { createImage } from './image.js';
import { createSession } from './session.js';
import { countDown, element, focusFirstError, say, showFieldErrors, showWire } from './view.js';

const { challenge_prefix: prefix = 'api/captcha', demo_email: demoEmail } = await readFacts();
const form = element('form');
const submit = element('submit');
const call = createApi(showWire);
const session = createSession({
  call,
  onEnded: () => showForm('Your session has ended. Please sign in again.'),
});
const work = createWork({ call, prefix, show: showWork });
const image = createImage({ call, prefix });
let isSubmitting = false;
let waitsUntilMs = 0;
let workStatus = 'idle';

form.addEventListener('submit', onSubmit);
for (const event of ['focusin', 'input', 'pointerdown']) form.addEventListener(event, onTouch);
element('new-image').addEventListener('click', renewImage);
element('refresh').addEventListener('click', renewToken);
element('log-out').addEventListener('click', logOut);
document.addEventListener('visibilitychange', () => {
  const isOver = !element('profile').hidden && session.remaining().leftMs === 0;
  if (document.visibilityState === 'visible' && isOver) renewToken();
});
setInterval(showRemaining, 1000);

await restore();

async function restore() {
  try {
    if (await session.refresh()) await showProfile();
    else showForm();
  } catch (error) {
    showForm(error.message, 'bad');
  }
}

async function onSubmit(event) {
  event.preventDefault();
  if (isSubmitting || Date.now() < waitsUntilMs) return;
  showFieldErrors({});
  const missing = ['email', 'password', ...(image.isShown() ? ['captcha'] : [])].filter(
    (name) => element(name).value.trim() === '',
  );
  if (missing.length > 0) {
    showFieldErrors(Object.fromEntries(missing.map((name) => [name, ['Please fill this in.']])));
    focusFirstError();
    return;
  }
  isSubmitting = true;
  say('Signing in …');
  showSubmit();
  let answer = await send();
  if (answer?.body.code === 'pow_insufficient') {
    // The account has become dearer than the work was; no image is spent, so the same is sent with better work.
    work.priceFor(answer.body.pow_scope);
    answer = await send();
  }
  isSubmitting = false;
  if (answer?.ok) await onSignedIn(answer.body);
  else if (answer) await onRefused(answer);
  showSubmit();
}

async function send() {
  const fields = await work.take();
  return fields && (await call('POST', 'login', { body: { ...credentials(), ...fields } }));
}

function credentials() {
  return { email: element('email').value, password: element('password').value, ...image.fields() };
}

async function onSignedIn(tokenBody) {
  session.adopt(tokenBody);
  work.priceFor();
  element('password').value = '';
  image.hide();
  await showProfile();
  say('Signed in.', 'good');
}

async function onRefused(answer) {
  say(answer.body.message, 'bad', answer.language);
  showFieldErrors(answer.body.errors ?? {}, answer.language);
  if (answer.body.pow_scope) work.priceFor(answer.body.pow_scope);
  if (answer.retryAfterSeconds > 0) wait(answer.retryAfterSeconds);
  else work.renew();
  // Failing work spends no image; every other answer does, so that the next try needs a new one.
  const isImageKept = image.isShown() && /^pow_/.test(answer.body.code);
  if (!isImageKept && (answer.body.captcha_required || image.isShown())) await renewImage();
  focusFirstError('password');
}

async function renewImage() {
  const answer = await image.renew();
  if (answer.ok) return;
  say(answer.body.message, 'bad', answer.language);
  if (answer.retryAfterSeconds > 0) wait(answer.retryAfterSeconds);
}

function onTouch() {
  if (!isSubmitting && workStatus !== 'solving' && Date.now() >= waitsUntilMs) work.touch();
}

async function renewToken() {
  const isRenewed = await session.refresh().catch(() => false);
  if (isRenewed) say('The access token is new.', 'good');
}

async function logOut() {
  const answer = await session.logOut();
  if (answer.ok || answer.status === 401) showForm('You are logged out.', 'good');
  else say(answer.body.message, 'bad', answer.language);
}

async function showProfile() {
  const answer = await session.callProtected('GET', 'profile');
  if (!answer.ok) return showForm(answer.body.message, 'bad');
  element('profile-email').textContent = answer.body.email;
  element('profile-id').textContent = answer.body.id;
  show('profile');
  showRemaining();
  element('profile-title').focus();
}

function showForm(message = '', kind = '') {
  const isFirst = element('sign-in').hidden;
  show('sign-in');
  say(message, kind);
  if (element('email').value === '') element('email').value = demoEmail ?? '';
  if (!isFirst) return;
  element(element('email').value === '' ? 'email' : 'password').focus();
  work.renew();
}

function show(section) {
  for (const name of ['sign-in', 'profile']) element(name).hidden = name !== section;
  document.body.classList.toggle('open', section === 'profile');
  document.title = section === 'profile' ? 'Tollgate · Signed in' : 'Tollgate · Sign in';
}

function showRemaining() {
  if (element('profile').hidden) return;
  const { leftMs, lifetimeMs } = session.remaining();
  const seconds = Math.ceil(leftMs / 1000);
  element('token-text').textContent =
    `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
  element('token-left').value = lifetimeMs === 0 ? 0 : leftMs / lifetimeMs;
}

function showWork({ status, difficulty, tries, ms, chance = 0, answer }) {
  workStatus = status;
  const words = { idle: 'waiting for you', solving: 'solving …', ready: 'done', error: 'not available' };
  element('work').dataset.status = status;
  element('work-status').textContent = words[status];
  element('work-progress').value = chance;
  element('work-figures').textContent =
    tries === undefined
      ? '\u00a0'
      : `${difficulty} bits · ${tries.toLocaleString('en')} hashes · ${(tries / ms / 1000).toFixed(1)} million/s`;
  if (answer) {
    say(answer.body.message, 'bad', answer.language);
    if (answer.retryAfterSeconds > 0) wait(answer.retryAfterSeconds);
  }
  showSubmit();
}

/** Nothing is sent before the time that the server asked for has passed. */
function wait(seconds) {
  waitsUntilMs = Date.now() + seconds * 1000;
  countDown(seconds, showSubmit);
}

function showSubmit() {
  const waitSeconds = Math.ceil((waitsUntilMs - Date.now()) / 1000);
  submit.disabled = isSubmitting || waitSeconds > 0 || workStatus === 'solving';
  submit.textContent = waitSeconds > 0 ? `Wait ${waitSeconds} s` : isSubmitting ? 'Signing in …' : 'Sign in';
}

async function readFacts() {
  try {
    return await (await fetch('page.json')).json();
  } catch {
    return {};
  }
}
