// Keeps the access token fresh: schedules refreshes, runs and retries them, and ends the session when one is refused.

import type { AccessToken } from './access-token.js';
import type { Environment } from './environment.js';
import { SessionError } from './errors.js';
import { createRefreshCall, type RefreshCall } from './refresh-call.js';
import { refreshAfterMs, retryDelayMs } from './refresh-schedule.js';
import type { ObservableState, SessionStatus } from './session-state.js';

export interface TokenRefresherDeps {
  readonly environment: Environment;
  readonly observable: ObservableState;
  readonly jitterSeconds: number;
  /** Makes one attempt, until the signal aborts. @throws {SessionError} */
  attemptRefresh(signal: AbortSignal): Promise<AccessToken>;
  /** Called with the reason when a token is dropped because its refresh call failed. */
  onExpired(reason: string): void;
}

export interface TokenRefresher {
  /** The token, even if it has expired. */
  token(): string | undefined;
  isValid(): boolean;
  isRefreshing(): boolean;
  setToken(token: AccessToken): void;
  /** Forgets the token and ends the refresh call without one. */
  drop(status: SessionStatus, reason: string | null): void;
  /** Forgets the token until a refresh shows who is signed in; a refusal then ends the session as usual. */
  suspend(): void;
  /** Starts a refresh call, or joins the one under way. @returns as `Session.resume` does */
  refresh(): Promise<boolean>;
  /** As `refresh`, but waits for the first attempt only; retries go on by themselves. */
  refreshOnce(): Promise<unknown>;
  /** Aborts the attempt under way. If its call is still open afterwards, another attempt waits for the mutex. */
  abortAttempt(): void;
  /** Does what is due. */
  check(): void;
  /** Does what is due after sleep or network loss. @param retriesNow whether to skip the delay of a retry */
  wake(retriesNow: boolean): void;
}

/** Timers stop while the machine sleeps, so the clocks are checked at least this often. */
const checkEveryMs = 30_000;

export function createTokenRefresher(deps: TokenRefresherDeps): TokenRefresher {
  const { environment, observable } = deps;
  const { nowMs, random, startTimer, stopTimer } = environment;
  let current: AccessToken | undefined;
  /** Whether a token was suspended and nothing has been learned since. */
  let isSuspended = false;
  /** The age of the token at which the next attempt is due. */
  let dueMs = 0;
  let timer = 0;
  let call: RefreshCall | undefined;
  let attemptUnderWay: AbortController | undefined;
  /** Increases with every change that invalidates the answer to an attempt under way. */
  let epoch = 0;
  /** When a page that is not signed in may ask again; undefined if the answer is known. */
  let askAgainAtMs: number | undefined;

  const isValid = () => current !== undefined && current.ageMs() < current.lifeMs;

  function updateState(status: SessionStatus, reason: string | null): void {
    observable.update({ status, expiresAtMs: current?.expiresAtMs ?? null, reason });
  }

  function replace(next: AccessToken | undefined, status: SessionStatus, reason: string | null): void {
    const ended = call;
    call = undefined;
    current = next;
    isSuspended = false;
    epoch += 1;
    askAgainAtMs = undefined;
    stopTimer(timer);
    updateState(status, reason);
    ended?.resolve(next !== undefined);
  }

  function setToken(token: AccessToken): void {
    dueMs = refreshAfterMs(token.lifeMs / 1000, deps.jitterSeconds, random());
    replace(token, 'signed-in', null);
    check();
  }

  function startCall(): RefreshCall {
    if (call) return call;
    const started = createRefreshCall();
    call = started;
    attempt();
    return started;
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

  function handleOutcome(outcome: AccessToken | SessionError): void {
    if (!(outcome instanceof SessionError)) setToken(outcome);
    else if (!outcome.isPassing) fail(outcome);
    else if (current) retryAfter(outcome, current);
    else {
      // The answer says nothing about the session, so the status stays as it is.
      askAgainAtMs = nowMs() + outcome.retryAfterMs;
      call?.reject(outcome);
      call = undefined;
    }
  }

  function retryAfter(error: SessionError, { ageMs, lifeMs }: AccessToken): void {
    if (call) {
      call.lastError = error;
      dueMs = Math.min(ageMs() + (error.retryAfterMs || retryDelayMs(call.retries)), lifeMs);
      call.retries += 1;
      call.pause();
    }
    if (isValid()) check();
    else fail(error);
  }

  function fail({ reason, isPassing, retryAfterMs }: SessionError): void {
    const hadToken = current !== undefined || isSuspended;
    // For a page without a token, this code only means that there is no cookie.
    replace(
      undefined,
      'signed-out',
      hadToken || reason !== 'token_invalid' ? reason : observable.state.reason,
    );
    if (isPassing) askAgainAtMs = nowMs() + retryAfterMs;
    if (hadToken) deps.onExpired(reason);
  }

  function check(): void {
    stopTimer(timer);
    if (!current || attemptUnderWay) return;
    const ageMs = current.ageMs();
    if (ageMs < dueMs) timer = startTimer(check, Math.min(dueMs - ageMs, checkEveryMs));
    else if (!call?.lastError) startCall();
    else if (isValid()) attempt();
    else fail(call.lastError);
  }

  return {
    token: () => current?.reveal(),
    isValid,
    isRefreshing: () => call !== undefined,
    setToken,
    drop: (status, reason) => replace(undefined, status, reason),
    suspend() {
      const hadToken = current !== undefined || isSuspended;
      replace(undefined, 'unknown', null);
      isSuspended = hadToken;
    },
    refresh: () => startCall().result,
    refreshOnce: () => startCall().firstAttempt,
    abortAttempt: () => attemptUnderWay?.abort(),
    check,
    wake(retriesNow) {
      if (retriesNow && call?.lastError?.status === 0) dueMs = 0;
      check();
      if (askAgainAtMs !== undefined && nowMs() >= askAgainAtMs) startCall();
    },
  };
}
