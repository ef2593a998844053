// What a signed-in person sees: who that is, the token's time, a protected route, the sessions, the ways out.
import { createAsk } from './session-request.js';
import { find } from './find.js';
import { notify } from './notice.js';
import { createSessionList } from './session-list.js';
import { say } from './i18n.js';
import { createTokenRing } from './token-ring.js';

/** @param {{ session: import('./client/session.js').Session }} parts */
export function createAccount({ session }) {
  const ask = createAsk(session);
  const ring = createTokenRing(session);
  const list = createSessionList(ask);
  const answer = find('answer');

  find('call').addEventListener('click', callProfile);
  find('log-out').addEventListener('click', logOut);
  find('log-out-everywhere').addEventListener('click', logOutEverywhere);
  document.addEventListener('visibilitychange', () => {
    // Another browser may have ended this session meanwhile.
    if (!document.hidden && !find('account').hidden) list.load();
  });

  async function showProfile() {
    const response = await ask('profile');
    if (response === undefined) return;
    const { id, email } = await response.json();
    find('account-email').textContent = email;
    find('account-id').textContent = say('account_id', { id });
  }

  async function callProfile() {
    const response = await ask('profile');
    if (response === undefined) return;
    answer.textContent = `${response.status}\n${JSON.stringify(await response.json(), null, 2)}`;
    answer.hidden = false;
  }

  async function logOut() {
    try {
      await session.logout();
    } catch {
      notify(say('no_answer'), 'bad');
    }
  }

  async function logOutEverywhere() {
    // This session last: it is the one that may end the others.
    const response = await ask('sessions', { method: 'DELETE' });
    if (response !== undefined) await logOut();
  }

  return {
    enter() {
      ring.start();
      find('account-title').focus();
      showProfile();
      list.load();
    },
    leave() {
      ring.stop();
      list.clear();
      answer.hidden = true;
      answer.textContent = '';
      for (const name of ['account-email', 'account-id']) find(name).textContent = '';
    },
  };
}
