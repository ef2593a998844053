// The account view: the user, the token's remaining time, a protected route, the sessions, and the logout.

import { find } from './find.js';
import { translate } from './i18n.js';
import { createSessionList } from './session-list.js';
import { createSessionRequest } from './session-request.js';
import { createTokenRing } from './token-ring.js';

/** @param {{ session: import('./client/session.js').Session }} deps */
export function createAccount({ session }) {
  const request = createSessionRequest(session);
  const ring = createTokenRing(session);
  const list = createSessionList(request);
  const answer = find('answer');

  find('call').addEventListener('click', callProfile);
  find('log-out').addEventListener('click', logOut);
  find('log-out-everywhere').addEventListener('click', logOutEverywhere);
  document.addEventListener('visibilitychange', () => {
    // Another browser may have ended a session meanwhile.
    if (!document.hidden && !find('account').hidden) list.load();
  });

  async function showProfile() {
    const response = await request('profile');
    if (response === undefined) return;
    const { id, email } = response.body;
    find('account-email').textContent = email;
    find('account-id').textContent = translate('account_id', { id });
  }

  async function callProfile() {
    const response = await request('profile');
    if (response === undefined) return;
    answer.textContent = `${response.status}\n${JSON.stringify(response.body, null, 2)}`;
    answer.hidden = false;
  }

  async function logOut() {
    // The state's reason shows whether the server has confirmed it.
    await session.logout().catch(() => {});
  }

  async function logOutEverywhere() {
    // This session ends last, because ending the others requires it.
    const response = await request('sessions', { method: 'DELETE' });
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
