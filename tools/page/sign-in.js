// The login form: fields, the challenge element, and the service's responses.
import { createChallenge } from './client/challenge.js';
import './client/element.js';
import { createCountdown } from './countdown.js';
import { find } from './find.js';
import { clock } from './format.js';
import { setText, translate } from './i18n.js';
import { notify } from './notice.js';

/**
 * @param {object} deps
 * @param {import('./client/session.js').Session} deps.session
 * @param {string} deps.baseUrl
 * @param {string} [deps.prefix] of the challenge routes
 * @param {import('./client/challenge.js').FieldNames} [deps.fields]
 * @param {string | null} deps.demoEmail
 * @param {import('./client/challenge.js').Solver} deps.solver
 * @param {{ follow(challenge: import('./client/challenge.js').ChallengeController): void }} deps.meter
 * @param {() => void} deps.onWrongPassword called when the service has rejected a password
 */
export function createSignIn({
  session,
  baseUrl,
  prefix,
  fields,
  demoEmail,
  solver,
  meter,
  onWrongPassword,
}) {
  const [form, email, password, remember, submit, toggle] = [
    'sign-in-form',
    'email',
    'password',
    'remember',
    'submit',
    'show-password',
  ].map(find);
  const guard = document.createElement('tollgate-challenge');
  guard.setAttribute('hold-submit', '');
  const countdown = createCountdown(showSubmit);
  let challenge;
  let isSubmitting = false;

  email.value = demoEmail ?? '';
  setText(find('password-hint'), translate(demoEmail ? 'demo_hint' : 'own_hint'));
  toggle.ariaLabel = translate('show_password');
  toggle.addEventListener('click', () => showPassword(password.type === 'password'));
  form.addEventListener('submit', onSubmit);
  for (const field of [email, password]) field.addEventListener('input', () => showError(field, []));

  async function onSubmit(event) {
    event.preventDefault();
    if (isSubmitting || countdown.leftMs > 0) return;
    isSubmitting = true;
    notify('');
    showErrors({});
    showSubmit();
    try {
      const response = await challenge.submit(send);
      if (!response.ok) await showRefusal(response);
    } catch (error) {
      showFailure(error);
    }
    isSubmitting = false;
    showSubmit();
  }

  function send(fields) {
    return session.login({
      email: email.value,
      password: password.value,
      remember: remember.checked,
      ...fields,
    });
  }

  async function showRefusal(response) {
    const language = response.headers.get('Content-Language') ?? '';
    const refusal = await response.json().catch(() => ({}));
    const { code, message = translate('sign_in_failed'), errors = {} } = refusal;
    const isOfField = 'email' in errors || 'password' in errors;
    // The page repeats the work by itself, but only the user can solve an image: the element shows the reason under it.
    const isOfImage =
      code === 'captcha_invalid' ||
      code === 'captcha_required' ||
      (code === 'pow_insufficient' && refusal.captcha_required);
    if (!isOfField && !isOfImage) notify(message, 'bad', language);
    showErrors(errors, language);
    if (code === 'login_failed') onWrongPassword();
    countdown.start(Number(response.headers.get('Retry-After')) || 0);
    if (errors.email) email.focus();
    else if (isOfImage) guard.focus();
    else password.select();
  }

  function showFailure(error) {
    // Another tab has signed in, which removed the form.
    if (error.name === 'AbortError') return;
    // The element displays this error itself.
    if (error.name === 'CaptchaUnansweredError') guard.focus();
    else if (error.name === 'CaptchaRequestError') notify(error.message, 'bad');
    else notify(translate(/^(Type|Timeout)Error$/.test(error.name) ? 'no_answer' : 'sign_in_failed'), 'bad');
  }

  function showErrors(errors, language = '') {
    for (const field of [email, password]) showError(field, errors[field.name] ?? [], language);
  }

  function showError(field, errors, language = '') {
    const line = find(`${field.id}-error`);
    line.textContent = errors.join(' ');
    line.lang = language;
    field.ariaInvalid = String(errors.length > 0);
  }

  function showSubmit() {
    const { leftMs } = countdown;
    // Not `disabled`, because the button would lose the focus.
    submit.ariaDisabled = String(isSubmitting || leftMs > 0);
    submit.textContent =
      leftMs > 0
        ? translate('wait', { time: clock(leftMs) })
        : translate(isSubmitting ? 'signing_in' : 'sign_in');
  }

  function showPassword(isShown) {
    password.type = isShown ? 'text' : 'password';
    toggle.ariaPressed = String(isShown);
  }

  return {
    enter() {
      challenge = createChallenge({ baseUrl, solver, prefix, fields });
      guard.controller = challenge;
      find('challenge').append(guard);
      meter.follow(challenge);
      (email.value === '' ? email : password).focus();
    },
    leave() {
      // A signed-in user needs no further work.
      challenge.close();
      guard.remove();
      password.value = '';
      showPassword(false);
      showErrors({});
      countdown.start(0);
    },
  };
}
