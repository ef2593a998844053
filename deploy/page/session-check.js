// The first view: asks the server whether somebody is signed in, and displays an error if there is no answer.

import { find } from './find.js';
import { clock } from './format.js';
import { translate } from './i18n.js';

/** @param {{ session: import('./client/session.js').Session }} deps */
export function createSessionCheck({ session }) {
  const problem = find('looking-problem');
  const again = find('look-again');

  async function check() {
    find('looking-title').textContent = translate('looking');
    problem.hidden = true;
    again.hidden = true;
    try {
      await session.resume();
    } catch (error) {
      const isBusy = error.status === 429 && error.retryAfterMs > 0;
      problem.textContent = isBusy
        ? translate('busy', { time: clock(error.retryAfterMs) })
        : translate('unreachable');
      find('looking-title').textContent = 'Tollgate';
      problem.hidden = false;
      again.hidden = false;
    }
  }

  again.addEventListener('click', check);
  return { enter: check, leave() {} };
}
