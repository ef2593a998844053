// Keeps the access token fresh: schedules refreshes and retries them until the service returns a token or ends the
// session. Only the service ends a session.

import { type AccessToken, startStopwatch } from './access-token.js';
import type { Environment } from './environment.js';
import { SessionError } from './errors.js';
import { refreshAfterMs, retryDelayMs } from './refresh-schedule.js';
import type { ObservableState, SessionStatus } from './session-state.js';

interface TokenRefresherDeps {
  readonly environment: Environment;
  readonly observable: ObservableState;
  readonly jitterSeconds: number;
  /** Makes one attempt, until the signal aborts. @returns undefined after a completed logout. @throws {SessionError} */
  attemptRefresh(signal: AbortSignal): Promise<AccessToken | undefined>;
  isLogoutPending(): boolean;
  /** Called when a token is lost without a logout. @param definitive whether the service has ended the session */
  onExpired(reason: string, definitive: boolean): void;
}

interface TokenRefresher {
  /** Returns the token, even an expired one. */
  token(): string | undefined;
  isValid(): boolean;
  /** Whether there is a token to refresh or a pending attempt. */
  isActive(): boolean;
  setToken(token: AccessToken): void;
  /** Forgets the token and ends all attempts. */
  drop(status: SessionStatus, reason: string | null): void;
  /** Forgets the token until the next refresh; an error response to it ends the session as usual. */
  suspend(): void;
  /** Makes an attempt now, or joins the current one. @returns like `Session.resume` */
  refresh(): Promise<boolean>;
  /** Like `refresh`, but undefined if the last failure is too recent. */
  refreshIfDue(): Promise<boolean> | undefined;
  /** Schedules a retry after another caller's attempt failed. */
  retryAfter(error: SessionError): void;
  /** Aborts the current attempt. If a caller waits for it, another attempt waits for the mutex. */
  abortAttempt(): void;
  /** Starts a due refresh or retry. */
  check(): void;
  /** Checks after sleep or network loss, and shortens a retry delay. @param isOnline whether the network has returned */
  wake(isOnline: boolean): void;
}

/** Timers stop during sleep, so the clocks are checked at least this often. */
const checkEveryMs = 30_000;
/** Minimum delay after a failure, whatever happens in the page. */
const shortestDelayMs = 1_000;

interface Call {
  /** Whether a user is logged in; rejects if unknown. */
  readonly result: Promise<boolean>;
  readonly resolve: (isSignedIn: boolean) => void;
  readonly reject: (error: SessionError) => void;
}

/** The last failed attempt. */
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
  /** Whether a token was dropped before the service responded, with no result since. */
  let hadToken = false;
  /** Token age at which its refresh is due. */
  let dueMs = 0;
  let timer = 0;
  let call: Call | undefined;
  let failure: Failure | undefined;
  let attemptUnderWay: AbortController | undefined;
  /** Increases with each change that invalidates the result of the current attempt. */
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
    // A scheduled refresh has no caller: its rejection must not be reported as unhandled.
    promise.catch(() => {});
    attempt();
    return promise;
  }

  async function attempt(): Promise<void> {
    // The current attempt starts the next one when it ends.
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
    // For a page without a token this code means only that there is no cookie.
    replace(undefined, 'signed-out', wasSignedIn || reason !== 'token_invalid' ? reason : earlier);
    if (wasSignedIn) deps.onExpired(reason, true);
  }

  function retryAfter(error: SessionError): void {
    const retries = failure?.retries ?? 0;
    if (deps.isLogoutPending()) replace(undefined, 'signed-out', 'logout_pending');
    failure = {
      error,
      elapsedMs: startStopwatch(environment).elapsedMs,
      delayMs: error.retryAfterMs || retryDelayMs(retries, error.meaning),
      retries: retries + 1,
    };
    const asked = call;
    call = undefined;
    // A known end of the session stays known.
    if (!current && observable.state.status !== 'signed-out') updateState('unknown', error.reason);
    check();
    asked?.reject(error);
  }

  /** Handles a token that expired before the service responded. */
  function lose({ reason }: SessionError): void {
    current = undefined;
    hadToken = true;
    updateState('unknown', reason);
    deps.onExpired(reason, false);
  }

  /** Whether the delay after a failure is over. @param leastMs shortens the delay, unless the server required it */
  function isDue(last: Failure, leastMs: number): boolean {
    if (last.error.retryAfterMs === 0) last.delayMs = Math.min(last.delayMs, leastMs);
    return last.elapsedMs() >= last.delayMs;
  }

  function check(): void {
    stopTimer(timer);
    if (attemptUnderWay) return;
    if (failure && current && !isValid()) lose(failure.error);
    // A listener may have started an attempt.
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
