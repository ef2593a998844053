// The first view: asks the server whether somebody is signed in; without an answer it says so, and asks again by itself.

import { find } from './find.js';
import { clock } from './format.js';
import { translate } from './i18n.js';

/** Before the first repetition; each further one waits twice as long. */
const firstRetryMs = 2_000;
const longestRetryMs = 30_000;

/** @param {{ session: import('./client/session.js').Session }} deps */
export function createSessionCheck({ session }) {
  const problem = find('looking-problem');
  const again = find('look-again');
  let failures = 0;
  let timer;

  function check() {
    find('looking-title').textContent = translate('looking');
    problem.hidden = true;
    again.hidden = true;
    return ask();
  }

  async function ask() {
    clearTimeout(timer);
    try {
      await session.resume();
    } catch (error) {
      showProblem(error);
      const delayMs = Math.max(
        error.retryAfterMs || 0,
        Math.min(firstRetryMs * 2 ** failures, longestRetryMs),
      );
      failures += 1;
      clearTimeout(timer);
      // Spread, because a server that comes back meets everybody who waits for it.
      timer = setTimeout(ask, delayMs * (1 + Math.random() / 4));
    }
  }

  function showProblem(error) {
    const isBusy = error.status === 429 && error.retryAfterMs > 0;
    problem.textContent = isBusy
      ? translate('busy', { time: clock(error.retryAfterMs) })
      : translate('unreachable');
    find('looking-title').textContent = 'Tollgate';
    problem.hidden = false;
    again.hidden = false;
  }

  again.addEventListener('click', check);
  return {
    enter: check,
    leave() {
      clearTimeout(timer);
      failures = 0;
    },
  };
}
