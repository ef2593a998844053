// The time left of the access token, displayed as a ring, and its next refresh.

import { find } from './find.js';
import { clock } from './format.js';
import { translate } from './i18n.js';

const leadMs = 60_000;

/** @param {import('./client/session.js').Session} session */
export function createTokenRing(session) {
  const left = find('token-ring').querySelector('.left');
  const lead = find('token-ring').querySelector('.lead');
  let timer;
  let expiresAtMs;
  let lifeMs;

  function show() {
    const { state } = session;
    if (state.expiresAtMs === null) return;
    if (state.expiresAtMs !== expiresAtMs) {
      expiresAtMs = state.expiresAtMs;
      // The time left when a token arrives is its lifetime, except for the time in transit.
      lifeMs = Math.max(1, expiresAtMs - Date.now());
      lead.setAttribute('stroke-dasharray', `${(100 * renewalMs()) / lifeMs} 100`);
    }
    const leftMs = Math.max(0, expiresAtMs - Date.now());
    left.setAttribute('stroke-dashoffset', String(100 - (100 * leftMs) / lifeMs));
    find('token-time').textContent = clock(leftMs);
    find('token-time').ariaLabel = translate('token_left', { time: clock(leftMs) });
    find('token-next').textContent =
      state.status === 'refreshing'
        ? translate('token_renewing')
        : translate('token_next', { time: clock(leftMs - renewalMs()) });
  }

  /** The package refreshes a token one minute before it expires, or after half of a short lifetime. */
  function renewalMs() {
    return lifeMs <= 2 * leadMs ? lifeMs / 2 : leadMs;
  }

  session.subscribe(show);
  return {
    start() {
      show();
      timer = setInterval(show, 1000);
    },
    stop() {
      clearInterval(timer);
    },
  };
}
