// The session in whatever surroundings it is handed: its parts, put together.

import { createListeners } from '../listeners.js';
import { createBearerFetch } from './bearer-fetch.js';
import type { Surroundings } from './environment.js';
import type { SessionError } from './errors.js';
import { openHint } from './hint.js';
import { createTurns } from './mutex.js';
import { connectService } from './service.js';
import type { Session, SessionOptions } from './session-options.js';
import { createStateBoard } from './state-board.js';
import { connectTabs, type Word } from './tab-channel.js';
import { createRenewal } from './token-refresh.js';

/** Reasons that say that the cookie is worth nothing any more. */
const cookieIsOver = /^(token_invalid|session_expired|session_revoked)$/;

/** @see createSession */
export function openSession(options: SessionOptions, surroundings: Surroundings): Session {
  const { baseUrl = '', fetchOptions = {}, jitterSeconds = 10, lockSeconds = 10 } = options;
  const base = new URL(baseUrl.replace(/\/*$/, '/'), surroundings.pageUrl);
  const name = `tollgate:${base.href}`;
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  const closing = new AbortController();
  const expired = createListeners<[reason: string]>();
  const board = createStateBoard();
  const service = connectService({ base, send, fetchOptions }, surroundings);
  const inTurn = createTurns(surroundings, name, lockSeconds * 1000);
  const hint = openHint(surroundings.openStorage, name);
  const renewal = createRenewal({
    surroundings,
    board,
    jitterSeconds,
    attemptRefresh: (givesUp) => inTurn(() => refreshAndNote(givesUp), givesUp),
    expire: expired.notify,
  });
  const tabs = connectTabs(surroundings, name, hear);
  /** How often somebody else may have come to be signed in, here and in other tabs. */
  let changes = 0;

  /** In turn too, so that the mark of one tab is not older than that of another. */
  async function refreshAndNote(givesUp: AbortSignal) {
    try {
      const token = await service.refresh(givesUp);
      hint.note(true);
      return token;
    } catch (error) {
      if (cookieIsOver.test((error as SessionError).reason)) hint.note(false);
      throw error;
    }
  }

  const isWorthAsking = () =>
    options.hint === false || renewal.token() !== undefined || renewal.isUnderWay() || hint.mayBeSignedIn();

  const refresh = async () => !closing.signal.aborted && renewal.refresh();

  /** Does what changes who is signed in. The answer to an earlier refresh could put its cookie over the new one. */
  function changeInTurn<T>(work: () => Promise<T>): Promise<T> {
    renewal.giveWay();
    return inTurn(work);
  }

  function noteChange(): void {
    changes += 1;
    renewal.giveWay();
  }

  function leave(): void {
    noteChange();
    renewal.drop('signed-out', 'logged_out');
  }

  function hear(word: Word): void {
    if (word === 'signed-out') leave();
    if (word !== 'signed-in') return;
    // That log-in has ended the session of this tab, and may be another person's.
    noteChange();
    renewal.doubt();
    renewal.refresh();
  }

  function wake(event: Event): void {
    if (event.type === 'pagehide') {
      tabs.close();
      return;
    }
    if (event.type !== 'pageshow' || !(event as PageTransitionEvent).persisted) {
      renewal.wake(event.type === 'online');
      return;
    }
    // In the back/forward cache a page hears of no log-in and no log-out, so it asks.
    tabs.open();
    noteChange();
    if (!isWorthAsking()) return;
    if (renewal.token() !== undefined) renewal.doubt();
    renewal.refresh();
  }

  surroundings.listen(wake, closing.signal);

  return {
    get state() {
      return board.state;
    },
    subscribe: board.changed.add,
    onExpired: expired.add,
    login: (fields) =>
      changeInTurn(async () => {
        const { response, token } = await service.login(fields);
        if (token) hint.note(true);
        if (token && !closing.signal.aborted) {
          noteChange();
          renewal.adopt(token);
          tabs.tell('signed-in');
        }
        return response;
      }),
    async resume() {
      if (renewal.isValid()) return true;
      if (closing.signal.aborted || isWorthAsking()) return refresh();
      renewal.drop('signed-out', board.state.reason);
      return false;
    },
    fetch: createBearerFetch({
      base,
      origins: [base.origin, ...(options.bearerOrigins ?? [])],
      send,
      token: renewal.token,
      changes: () => changes,
      prepare() {
        renewal.look();
        const isNeeded = renewal.isUnderWay() || renewal.token() !== undefined;
        return isNeeded && !renewal.isValid() ? refresh() : undefined;
      },
      mayResume: () => board.state.status === 'unknown',
      refresh: async () => !closing.signal.aborted && renewal.refreshOnce(),
    }),
    logout: () =>
      changeInTurn(async () => {
        await service.logout(renewal.token());
        hint.note(false);
        leave();
        tabs.tell('signed-out');
      }),
    close() {
      closing.abort();
      tabs.close();
      renewal.drop('unknown', null);
      board.changed.clear();
      expired.clear();
    },
  };
}
