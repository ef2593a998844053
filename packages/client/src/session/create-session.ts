// Creates the session of a page.

import { createListeners } from '../listeners.js';
import type { AccessToken } from './access-token.js';
import { createBearerFetch } from './bearer-fetch.js';
import { currentEnvironment, type Environment } from './environment.js';
import type { SessionError } from './errors.js';
import { openHint } from './hint.js';
import { createMutex } from './mutex.js';
import { connectService, unreachable } from './service.js';
import type { CodeFields, Expiry, LoginFields, Session, SessionOptions } from './session-options.js';
import { createObservableState } from './session-state.js';
import { openTabChannel, type TabMessage } from './tab-channel.js';
import { createTokenRefresher } from './token-refresh.js';

/** Reasons after which the refresh cookie is no longer valid. */
const invalidCookieReason = /^(token_invalid|session_expired|session_revoked)$/;

/**
 * Creates the session of a page; one per page. Call `resume` when the page starts: the session does not check on its own
 * whether a user is logged in. The access token stays inside: it is in no storage, property or message.
 * @throws TypeError if `baseUrl` is relative outside of a page
 */
export function createSession(options: SessionOptions = {}): Session {
  return openSession(options, currentEnvironment());
}

/** Creates a session in the given environment. @see createSession */
export function openSession(options: SessionOptions, environment: Environment): Session {
  const { baseUrl = '', fetchOptions = {}, jitterSeconds = 0, lockSeconds = 10 } = options;
  const base = new URL(baseUrl.replace(/\/*$/, '/'), environment.pageUrl);
  const name = `tollgate:${base.href}`;
  const send = options.fetch ?? environment.openFetch(base);
  const closing = new AbortController();
  const expired = createListeners<[reason: string, expiry: Expiry]>();
  const observable = createObservableState();
  const service = connectService({ base, send, fetchOptions }, environment);
  const runExclusive = createMutex(environment, name, lockSeconds * 1000);
  // With `hint: false` other code may log in, which would not clear it: a later page would end that session.
  const hint = openHint(environment.openStorage, name, options.hint !== false);
  const refresher = createTokenRefresher({
    environment,
    observable,
    jitterSeconds,
    attemptRefresh: (signal) => runExclusive(() => refreshOrLogOut(signal), signal),
    isLogoutPending: hint.isLogoutPending,
    onExpired: (reason, definitive) => expired.notify(reason, { definitive }),
  });
  const tabs = openTabChannel(environment, name, onTabMessage);
  /** Counts possible changes of the user, here or in another tab. */
  let userChanges = 0;

  /**
   * Refreshes, or completes a pending logout. Runs under the mutex, so that tabs set the hint in the order of their requests.
   * @returns undefined after a completed logout
   */
  async function refreshOrLogOut(signal: AbortSignal): Promise<AccessToken | undefined> {
    if (!hint.isLogoutPending()) {
      // Another tab has completed the logout.
      if (observable.state.reason === 'logout_pending' && !hint.mayBeSignedIn()) return undefined;
      try {
        const token = await service.refresh(signal);
        // Without locks another tab may have requested a logout in between.
        if (!hint.isLogoutPending()) {
          hint.set('signed-in');
          return token;
        }
      } catch (error) {
        if (invalidCookieReason.test((error as SessionError).reason)) hint.set(null);
        throw error;
      }
    }
    await service.endCookie(signal);
    hint.set(null);
    tabs.send('signed-out');
    return undefined;
  }

  const isWorthAsking = () => options.hint === false || refresher.isActive() || hint.mayBeSignedIn();

  /** Sends the login fields and stores the token of the response. */
  function logIn(path: string, fields: LoginFields | CodeFields): Promise<Response> {
    return changeUser(async () => {
      const { response, token } = await service.login(path, fields);
      if (token) hint.set('signed-in');
      if (token && !closing.signal.aborted) {
        onUserChange();
        refresher.setToken(token);
        tabs.send('signed-in');
        await service.bind();
      }
      return response;
    });
  }

  /** Runs a login or logout. Aborts an earlier refresh: its cookie could replace the new one. */
  function changeUser<T>(work: () => Promise<T>): Promise<T> {
    refresher.abortAttempt();
    return runExclusive(work);
  }

  function onUserChange(): void {
    userChanges += 1;
    refresher.abortAttempt();
  }

  /** Forgets the token after a logout here or in another tab. @param pending error of an unconfirmed logout */
  function signOut(pending?: SessionError): void {
    onUserChange();
    refresher.drop('signed-out', pending ? 'logout_pending' : 'logged_out');
    if (pending && !closing.signal.aborted) refresher.retryAfter(pending);
  }

  function logOut(): Promise<void> {
    // The page may close before the server responds.
    hint.set('logout');
    return changeUser(async () => {
      // A login in another tab may have cleared the hint.
      hint.set('logout');
      const error = await service.logout(refresher.token()).catch((error: SessionError) => error);
      // A tab that stopped waiting for the lock may have logged in during the logout: keep its session.
      const isOvertaken = hint.mayBeSignedIn() && !hint.isLogoutPending();
      if (error && isOvertaken) onTabMessage('signed-in');
      else {
        hint.set(error ? 'logout' : null);
        signOut(error || undefined);
        tabs.send(error ? 'logout-pending' : 'signed-out');
      }
      if (error) throw error;
    });
  }

  function onTabMessage(message: TabMessage): void {
    // Storage may lag behind the message.
    if (message === 'signed-out') signOut();
    if (message === 'logout-pending') {
      if (options.hint === false) hint.set('logout');
      signOut(unreachable);
    }
    if (message !== 'signed-in') return;
    // Storage may lag behind the message or miss the end of the pending logout.
    hint.set('signed-in');
    // The login has ended this tab's session and may belong to another user.
    onUserChange();
    refresher.suspend();
    refresher.refresh();
  }

  function onPageEvent(event: Event): void {
    if (event.type === 'pagehide') {
      tabs.close();
      return;
    }
    if (event.type !== 'pageshow' || !(event as PageTransitionEvent).persisted) {
      refresher.wake(event.type === 'online');
      return;
    }
    // In the back/forward cache a page misses login and logout messages, so it asks the server.
    tabs.open();
    onUserChange();
    if (!isWorthAsking()) return;
    if (refresher.token() !== undefined) refresher.suspend();
    refresher.refresh();
  }

  const refresh = () => (closing.signal.aborted ? undefined : refresher.refreshIfDue());

  const bearerFetch = createBearerFetch({
    base,
    origins: [base.origin, ...(options.bearerOrigins ?? [])],
    send,
    token: refresher.token,
    userChanges: () => userChanges,
    prepare() {
      refresher.check();
      if (!refresher.isActive() || refresher.isValid()) return undefined;
      const refreshed = refresh();
      return observable.state.status === 'signed-out' ? undefined : refreshed;
    },
    mayResume: () => observable.state.status === 'unknown',
    refresh,
  });

  /** Sends fields with the access token, and stores the token of the response, if any. */
  async function sendSigned(path: string, fields: object): Promise<Response> {
    const changes = userChanges;
    const { response, token } = await service.login(path, fields, bearerFetch);
    if (token && changes === userChanges && !closing.signal.aborted) refresher.setToken(token);
    return response;
  }

  environment.listen(onPageEvent, closing.signal);

  return {
    get state() {
      return observable.state;
    },
    subscribe: observable.onChange.add,
    onExpired: expired.add,
    login: (fields) => logIn('login', fields),
    loginWithCode: (code, options) => logIn('login/code', { code, ...options }),
    async resume() {
      if (refresher.isValid()) return true;
      if (closing.signal.aborted) return false;
      if (isWorthAsking()) return refresher.refresh();
      refresher.drop('signed-out', observable.state.reason);
      return false;
    },
    reauthenticate: (fields) =>
      sendSigned('code' in fields ? 'reauthenticate/code' : 'reauthenticate', fields),
    changePassword: (fields) => sendSigned('password', fields),
    fetch: bearerFetch,
    logout: logOut,
    close() {
      closing.abort();
      tabs.close();
      refresher.drop('unknown', null);
      observable.onChange.clear();
      expired.clear();
    },
  };
}
