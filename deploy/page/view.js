// The small things that the page shows: its one message, errors beside fields, the calls on the wire.

const fieldsWithErrors = ['email', 'password', 'captcha'];
const mostCalls = 30;

export const element = (id) => document.getElementById(id);

/** Says something in the page's one live region; `kind` is `good`, `bad` or nothing. */
export function say(text, kind = '', language = '') {
  const message = element('message');
  message.dataset.kind = kind;
  message.lang = language || 'en';
  message.textContent = text;
}

/** Shows the first error of each field beside it, and takes away the others. */
export function showFieldErrors(errors, language = '') {
  for (const name of fieldsWithErrors) {
    const [text = ''] = errors[name] ?? errors[`${name}_token`] ?? [];
    element(name).setAttribute('aria-invalid', String(text !== ''));
    element(`${name}-error`).textContent = text;
    element(`${name}-error`).lang = language || 'en';
  }
}

/** Puts the cursor where the first error is, else into the field named. */
export function focusFirstError(otherwise) {
  const name =
    fieldsWithErrors.find((field) => element(field).getAttribute('aria-invalid') === 'true') ?? otherwise;
  element(name).focus();
  element(name).select();
}

/** Adds a call to the list under the form, newest first. */
export function showWire({ method, path, status, ms }) {
  const item = document.createElement('li');
  item.append(
    span('call', `${method} ${path}`),
    span(
      status >= 200 && status < 400 ? 'status' : 'status bad',
      status === 0 ? 'no answer' : String(status),
    ),
    span('time', `${Math.round(ms)} ms`),
  );
  const list = element('wire');
  list.prepend(item);
  while (list.children.length > mostCalls) list.lastElementChild.remove();
}

/** Calls `tick` at once and then every second until the time is over, the last time after it. */
export function countDown(seconds, tick) {
  tick();
  const timer = setInterval(tick, 1000);
  setTimeout(
    () => {
      clearInterval(timer);
      tick();
    },
    seconds * 1000 + 50,
  );
}

function span(className, text) {
  const node = document.createElement('span');
  node.className = className;
  node.textContent = text;
  return node;
}
