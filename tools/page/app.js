// The demo page: a login form with a proof of work, the session, a price chart, and the work and requests.
import { createAccount } from './account.js';
import { openSolver } from './client/challenge.js';
import { createSession } from './client/session.js';
import { find } from './find.js';
import { translate, translateIfKnown, translatePage } from './i18n.js';
import { notify } from './notice.js';
import { showOwnForm } from './own/own-form.js';
import { createMeter } from './price/meter.js';
import { observeFetch } from './price/observe-fetch.js';
import { usualTerms } from './price/price-terms.js';
import { createRequestLog } from './price/request-log.js';
import { createSessionCheck } from './session-check.js';
import { createSignIn } from './sign-in.js';
import { createTryNext } from './try-next.js';

translatePage();
// On a phone the panel behind the form is closed until the user opens it.
find('behind').open = matchMedia('(min-width: 62rem)').matches;
const facts = await readFacts();
showOwnForm(facts.challenge_prefix);
const log = createRequestLog(find('log'));
// Replaces `fetch` before the package reads it.
observeFetch(log.addRequest);

/** `PUBLIC_URL` may have a path. */
const baseUrl = new URL('.//', location.href).href;
const session = createSession({ baseUrl });
/** Shared by all forms, so that its workers stay warm. */
const solver = openSolver();
const tryNext = createTryNext();
const views = {
  looking: createSessionCheck({ session }),
  'sign-in': createSignIn({
    session,
    baseUrl,
    prefix: facts.challenge_prefix,
    fields: facts.challenge_fields,
    demoEmail: facts.demo_email,
    solver,
    meter: createMeter({ log, solver, terms: facts.price ?? usualTerms, onPrice: tryNext.showPrice }),
    onWrongPassword: tryNext.showRefused,
  }),
  account: createAccount({ session }),
};
let current;
let shownReason = null;

session.subscribe(show);
show();

function show() {
  const { status, reason } = session.state;
  const next = { unknown: 'looking', 'signed-out': 'sign-in' }[status] ?? 'account';
  const isNew = next !== current;
  if (isNew) {
    views[current]?.leave();
    current = next;
    for (const name of Object.keys(views)) find(name).hidden = name !== next;
    document.body.dataset.view = next;
    tryNext.showSignedIn(next === 'account');
    document.title = translate(next === 'account' ? 'title_in' : 'title_out');
  }
  if (isNew || reason !== shownReason) showReason(reason);
  if (isNew) views[next].enter();
}

/** The reason why nobody is signed in. Until that is known, the view shows the reason. */
function showReason(reason) {
  shownReason = reason;
  if (current !== 'sign-in' || reason === null) notify('');
  else notify(translateIfKnown(reason, 'session_over'), reason === 'logged_out' ? 'good' : 'bad');
}

async function readFacts() {
  try {
    return await (await fetch('page.json')).json();
  } catch {
    return {};
  }
}
