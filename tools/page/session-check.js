// The first view: checks whether somebody is signed in, and reports a missing response. The session retries.

import { find } from './find.js';
import { clock } from './format.js';
import { translate } from './i18n.js';

/** @param {{ session: import('./client/session.js').Session }} deps */
export function createSessionCheck({ session }) {
  const problem = find('looking-problem');
  const again = find('look-again');

  function check() {
    find('looking-title').textContent = translate('looking');
    problem.hidden = true;
    again.hidden = true;
    session.resume().catch(showProblem);
  }

  /** @param {{ status?: number, retryAfterMs?: number }} error */
  function showProblem({ status, retryAfterMs = 0 }) {
    const isBusy = status === 429 && retryAfterMs > 0;
    problem.textContent = isBusy
      ? translate('busy', { time: clock(retryAfterMs) })
      : translate('unreachable');
    find('looking-title').textContent = 'Tollgate';
    problem.hidden = false;
    again.hidden = false;
  }

  again.addEventListener('click', check);
  return {
    enter() {
      // A reason means that an attempt has just failed.
      if (session.state.reason === null) check();
      else showProblem({});
    },
    leave() {},
  };
}
