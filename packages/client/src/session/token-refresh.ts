// Keeps the access token fresh: schedules refreshes, retries them until the service has said who is signed in, and ends
// the session only when the service says so.

import { type AccessToken, startStopwatch } from './access-token.js';
import type { Environment } from './environment.js';
import { SessionError } from './errors.js';
import { refreshAfterMs, retryDelayMs } from './refresh-schedule.js';
import type { ObservableState, SessionStatus } from './session-state.js';

export interface TokenRefresherDeps {
  readonly environment: Environment;
  readonly observable: ObservableState;
  readonly jitterSeconds: number;
  /** Makes one attempt, until the signal aborts. @returns undefined if it completed a logout. @throws {SessionError} */
  attemptRefresh(signal: AbortSignal): Promise<AccessToken | undefined>;
  isLogoutPending(): boolean;
  /** Called when a token is dropped without a logout. @param definitive whether the service has ended the session */
  onExpired(reason: string, definitive: boolean): void;
}

export interface TokenRefresher {
  /** The token, even if it has expired. */
  token(): string | undefined;
  isValid(): boolean;
  /** Whether there is a token to keep fresh, or a question that the service has not answered. */
  isActive(): boolean;
  setToken(token: AccessToken): void;
  /** Forgets the token, and ends the attempts. */
  drop(status: SessionStatus, reason: string | null): void;
  /** Forgets the token until a refresh shows who is signed in; a refusal then ends the session as usual. */
  suspend(): void;
  /** Makes an attempt now, or joins the one under way. @returns as `Session.resume` does */
  refresh(): Promise<boolean>;
  /** As `refresh`, but undefined if the last failure is too recent. */
  refreshIfDue(): Promise<boolean> | undefined;
  /** Goes on after an attempt of somebody else that has failed. */
  retryAfter(error: SessionError): void;
  /** Aborts the attempt under way. If somebody waits for it, another attempt waits for the mutex. */
  abortAttempt(): void;
  /** Does what is due. */
  check(): void;
  /** Does what is due after sleep or network loss, and shortens the delay of a retry. @param isOnline whether the network has returned */
  wake(isOnline: boolean): void;
}

/** Timers stop while the machine sleeps, so the clocks are checked at least this often. */
const checkEveryMs = 30_000;
/** The shortest delay after a failure, whatever happens in the page. */
const shortestDelayMs = 1_000;
/** The longest `Retry-After` that is waited for: a wrong date or a page for maintenance must not keep anybody out for days. */
const longestRetryAfterMs = 3_600_000;

interface Call {
  /** Whether somebody is signed in now; rejects if that is not known. */
  readonly result: Promise<boolean>;
  readonly resolve: (isSignedIn: boolean) => void;
  readonly reject: (error: SessionError) => void;
}

/** The last attempt, which has not told who is signed in. */
interface Failure {
  readonly error: SessionError;
  readonly elapsedMs: () => number;
  delayMs: number;
  retries: number;
}

export function createTokenRefresher(deps: TokenRefresherDeps): TokenRefresher {
  const { environment, observable } = deps;
  const { random, startTimer, stopTimer } = environment;
  let current: AccessToken | undefined;
  /** Whether a token was dropped without a word of the service, and nothing has been learned since. */
  let hadToken = false;
  /** The age of the token at which its refresh is due. */
  let dueMs = 0;
  let timer = 0;
  let call: Call | undefined;
  let failure: Failure | undefined;
  let attemptUnderWay: AbortController | undefined;
  /** Increases with every change that invalidates the answer to an attempt under way. */
  let epoch = 0;

  const isValid = () => current !== undefined && current.ageMs() < current.lifeMs;

  function updateState(status: SessionStatus, reason: string | null): void {
    observable.update({ status, expiresAtMs: current?.expiresAtMs ?? null, reason });
  }

  function replace(next: AccessToken | undefined, status: SessionStatus, reason: string | null): void {
    const ended = call;
    call = undefined;
    current = next;
    hadToken = false;
    failure = undefined;
    epoch += 1;
    stopTimer(timer);
    updateState(status, reason);
    ended?.resolve(next !== undefined);
  }

  function setToken(token: AccessToken): void {
    dueMs = refreshAfterMs(token.lifeMs / 1000, deps.jitterSeconds, random());
    replace(token, 'signed-in', null);
    check();
  }

  function refresh(): Promise<boolean> {
    if (call) return call.result;
    const { promise, ...settle } = withResolvers();
    call = { result: promise, ...settle };
    // A scheduled refresh has no caller, so its rejection must not be reported as unhandled.
    promise.catch(() => {});
    attempt();
    return promise;
  }

  async function attempt(): Promise<void> {
    // The attempt under way starts the next one when it ends.
    if (attemptUnderWay) return;
    attemptUnderWay = new AbortController();
    const { signal } = attemptUnderWay;
    const startEpoch = epoch;
    if (current) updateState('refreshing', null);
    const outcome = await deps.attemptRefresh(signal).catch((error: SessionError) => error);
    attemptUnderWay = undefined;
    if (startEpoch === epoch && !signal.aborted) handleOutcome(outcome);
    else if (call) attempt();
    else check();
  }

  function handleOutcome(outcome: AccessToken | SessionError | undefined): void {
    if (outcome === undefined) replace(undefined, 'signed-out', 'logged_out');
    else if (!(outcome instanceof SessionError)) setToken(outcome);
    else if (outcome.meaning === 'definitive') end(outcome);
    else retryAfter(outcome);
  }

  function end({ reason }: SessionError): void {
    const wasSignedIn = current !== undefined || hadToken;
    const { state } = observable;
    const earlier = state.status === 'signed-out' ? state.reason : null;
    // For a page that had no token, this code only means that there is no cookie.
    replace(undefined, 'signed-out', wasSignedIn || reason !== 'token_invalid' ? reason : earlier);
    if (wasSignedIn) deps.onExpired(reason, true);
  }

  function retryAfter(error: SessionError): void {
    const retries = failure?.retries ?? 0;
    if (deps.isLogoutPending()) replace(undefined, 'signed-out', 'logout_pending');
    failure = {
      error,
      elapsedMs: startStopwatch(environment).elapsedMs,
      delayMs: Math.min(error.retryAfterMs, longestRetryAfterMs) || retryDelayMs(retries, error.meaning),
      retries: retries + 1,
    };
    const asked = call;
    call = undefined;
    // What is known stays so.
    if (!current && observable.state.status !== 'signed-out') updateState('unknown', error.reason);
    check();
    asked?.reject(error);
  }

  /** The token has expired before the service answered. */
  function lose({ reason }: SessionError): void {
    current = undefined;
    hadToken = true;
    updateState('unknown', reason);
    deps.onExpired(reason, false);
  }

  /** Whether the delay after a failure is over. @param leastMs shortens the delay, unless the server has asked for it */
  function isDue(last: Failure, leastMs: number): boolean {
    if (last.error.retryAfterMs === 0) last.delayMs = Math.min(last.delayMs, leastMs);
    return last.elapsedMs() >= last.delayMs;
  }

  function check(): void {
    stopTimer(timer);
    if (attemptUnderWay) return;
    if (failure && current && !isValid()) lose(failure.error);
    // A listener may have begun an attempt.
    if (attemptUnderWay || !(failure || current)) return;
    const waitMs = failure ? failure.delayMs - failure.elapsedMs() : dueMs - (current?.ageMs() ?? 0);
    if (waitMs <= 0 && (!failure || isValid() || environment.isVisible())) refresh();
    else {
      const lifeMs = failure && current ? current.lifeMs - current.ageMs() : checkEveryMs;
      timer = startTimer(check, Math.min(waitMs > 0 ? waitMs : checkEveryMs, lifeMs, checkEveryMs));
    }
  }

  return {
    token: () => current?.reveal(),
    isValid,
    isActive: () => Boolean(current || call || failure),
    setToken,
    drop: (status, reason) => replace(undefined, status, reason),
    suspend() {
      const had = current !== undefined || hadToken;
      replace(undefined, 'unknown', null);
      hadToken = had;
    },
    refresh,
    refreshIfDue() {
      check();
      const isTooEarly = !call && failure && !isDue(failure, isValid() ? Infinity : shortestDelayMs);
      return isTooEarly ? undefined : refresh();
    },
    retryAfter,
    abortAttempt: () => attemptUnderWay?.abort(),
    check,
    wake(isOnline) {
      if (failure) {
        failure.retries = 0;
        if (isDue(failure, isOnline && failure.error.status === 0 ? 0 : shortestDelayMs)) refresh();
      }
      check();
    },
  };
}

function withResolvers() {
  let resolve!: Call['resolve'];
  let reject!: Call['reject'];
  const promise = new Promise<boolean>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
