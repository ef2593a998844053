// The demo page: a form that pays with a proof of work, the session behind it, and a look at what happens.
import { createAccount } from './account.js';
import { openSolver } from './client/challenge.js';
import { createSession } from './client/session.js';
import { find } from './find.js';
import { createLooking } from './session-check.js';
import { createMeter } from './meter.js';
import { notify } from './notice.js';
import { createRequestLog } from './request-log.js';
import { createSignIn } from './sign-in.js';
import { say, sayIfKnown, speak } from './i18n.js';
import { watchFetch } from './observe-fetch.js';

speak();
const facts = await readFacts();
const log = createRequestLog(find('log'));
// Before anything of the package takes the browser's own.
watchFetch(log.addRequest);

/** `PUBLIC_URL` may have a path. */
const baseUrl = new URL('./', location.href).href;
const session = createSession({ baseUrl });
/** One for all forms to come: its workers stay warm. */
const solver = openSolver();
const views = {
  looking: createLooking({ session }),
  'sign-in': createSignIn({
    session,
    baseUrl,
    prefix: facts.challenge_prefix,
    fields: facts.challenge_fields,
    demoEmail: facts.demo_email,
    solver,
    meter: createMeter(log, solver),
  }),
  account: createAccount({ session }),
};
let shown;

session.subscribe(show);
show();

function show() {
  const { status, reason } = session.state;
  const next = { unknown: 'looking', 'signed-out': 'sign-in' }[status] ?? 'account';
  if (next === shown) return;
  views[shown]?.leave();
  shown = next;
  for (const name of Object.keys(views)) find(name).hidden = name !== next;
  document.body.dataset.view = next;
  document.title = say(next === 'account' ? 'title_in' : 'title_out');
  if (next !== 'sign-in' || reason === null) notify('');
  else notify(sayIfKnown(reason, 'session_over'), reason === 'logged_out' ? 'good' : 'bad');
  views[next].enter();
}

async function readFacts() {
  try {
    return await (await fetch('page.json')).json();
  } catch {
    return {};
  }
}
