// The time that the access token has left, as a ring that runs out, and when it is renewed.
import { clock } from './format.js';
import { find } from './find.js';
import { say } from './i18n.js';

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
      // What is left when it comes is its life, but for the way.
      lifeMs = Math.max(1, expiresAtMs - Date.now());
      lead.setAttribute('stroke-dasharray', `${(100 * renewalMs()) / lifeMs} 100`);
    }
    const leftMs = Math.max(0, expiresAtMs - Date.now());
    left.setAttribute('stroke-dashoffset', String(100 - (100 * leftMs) / lifeMs));
    find('token-time').textContent = clock(leftMs);
    find('token-time').ariaLabel = say('token_left', { time: clock(leftMs) });
    find('token-next').textContent =
      state.status === 'refreshing'
        ? say('token_renewing')
        : say('token_next', { time: clock(leftMs - renewalMs()) });
  }

  /** The package renews a token one minute before its end, or at half its life. */
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
