// While nobody knows whether somebody is signed in: asks, and says so when there is no answer.
import { clock } from './format.js';
import { find } from './find.js';
import { say } from './i18n.js';

/** @param {{ session: import('./client/session.js').Session }} parts */
export function createLooking({ session }) {
  const problem = find('looking-problem');
  const again = find('look-again');

  async function look() {
    find('looking-title').textContent = say('looking');
    problem.hidden = true;
    again.hidden = true;
    try {
      await session.resume();
    } catch (error) {
      const isBusy = error.status === 429 && error.retryAfterMs > 0;
      problem.textContent = isBusy ? say('busy', { time: clock(error.retryAfterMs) }) : say('unreachable');
      find('looking-title').textContent = 'Tollgate';
      problem.hidden = false;
      again.hidden = false;
    }
  }

  again.addEventListener('click', look);
  return { enter: look, leave() {} };
}
