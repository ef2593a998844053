// Keeps the access token fresh: the schedule, the refresh call and its end (decisions 3.8).

import type { HeldToken } from './access-token.js';
import type { Surroundings } from './environment.js';
import { SessionError } from './errors.js';
import { beginRefreshCall, type RefreshCall } from './refresh-call.js';
import { pauseMs, refreshAfterMs } from './refresh-schedule.js';
import type { SessionStatus } from './session-state.js';
import type { StateBoard } from './state-board.js';

export interface RenewalParts {
  readonly surroundings: Surroundings;
  readonly board: StateBoard;
  readonly jitterSeconds: number;
  /** One attempt, until the signal. @throws {SessionError} */
  attemptRefresh(givesUp: AbortSignal): Promise<HeldToken>;
  /** Told the reason when a token is dropped because its refresh call failed. */
  expire(reason: string): void;
}

export interface Renewal {
  /** The token as it is, even when its time is over. */
  token(): string | undefined;
  isValid(): boolean;
  isUnderWay(): boolean;
  adopt(token: HeldToken): void;
  /** Forgets the token, and ends the refresh call without one. */
  drop(status: SessionStatus, reason: string | null): void;
  /** Forgets the token until it is known again who is signed in; a refusal then tells the end of its session. */
  doubt(): void;
  /** Begins a refresh call, or joins the one under way. @returns as `Session.resume` does */
  refresh(): Promise<boolean>;
  /** As `refresh`, but waits for the first attempt alone; a repeat goes on by itself. */
  refreshOnce(): Promise<unknown>;
  /** Cuts the attempt under way off; when its call still stands by then, another one begins after what is in turn. */
  giveWay(): void;
  /** Does what is due. */
  look(): void;
  /** Does what is due after a sleep, or an absence of the network. @param hurries not to wait for the next repeat */
  wake(hurries: boolean): void;
}

/** Timers sleep with the machine, so the clocks are looked at this often. */
const lookEveryMs = 30_000;

export function createRenewal(parts: RenewalParts): Renewal {
  const { surroundings, board } = parts;
  const { nowMs, random, startTimer, stopTimer } = surroundings;
  let held: HeldToken | undefined;
  /** Whether a token was forgotten in doubt, and nothing has been learnt since. */
  let isInDoubt = false;
  /** The age of the held token at which the next attempt is due. */
  let dueMs = 0;
  let timer = 0;
  let call: RefreshCall | undefined;
  let underWay: AbortController | undefined;
  /** Changes with all that makes the answer to an attempt under way worthless. */
  let epoch = 0;
  /** From when on it is worth asking again whether somebody is signed in; undefined when that is known. */
  let askAgainAtMs: number | undefined;

  const isValid = () => held !== undefined && held.ageMs() < held.lifeMs;

  function show(status: SessionStatus, reason: string | null): void {
    board.show({ status, expiresAtMs: held?.expiresAtMs ?? null, reason });
  }

  function hold(next: HeldToken | undefined, status: SessionStatus, reason: string | null): void {
    const ended = call;
    call = undefined;
    held = next;
    isInDoubt = false;
    epoch += 1;
    askAgainAtMs = undefined;
    stopTimer(timer);
    show(status, reason);
    ended?.settle(next !== undefined);
  }

  function adopt(token: HeldToken): void {
    dueMs = refreshAfterMs(token.lifeMs / 1000, parts.jitterSeconds, random());
    hold(token, 'signed-in', null);
    look();
  }

  function begin(): RefreshCall {
    if (call) return call;
    const begun = beginRefreshCall();
    call = begun;
    attempt();
    return begun;
  }

  async function attempt(): Promise<void> {
    // The end of the one under way begins the next.
    if (underWay) return;
    underWay = new AbortController();
    const { signal } = underWay;
    const begun = epoch;
    if (held) show('refreshing', null);
    const outcome = await parts.attemptRefresh(signal).catch((error: SessionError) => error);
    underWay = undefined;
    if (begun === epoch && !signal.aborted) conclude(outcome);
    else if (call) attempt();
    else look();
  }

  function conclude(outcome: HeldToken | SessionError): void {
    if (!(outcome instanceof SessionError)) adopt(outcome);
    else if (!outcome.isPassing) fail(outcome);
    else if (held) repeatAfter(outcome, held);
    else {
      // Nothing is known of the session, so nothing is said of it.
      askAgainAtMs = nowMs() + outcome.retryAfterMs;
      call?.fail(outcome);
      call = undefined;
    }
  }

  function repeatAfter(error: SessionError, { ageMs, lifeMs }: HeldToken): void {
    if (call) {
      call.lastError = error;
      dueMs = Math.min(ageMs() + (error.retryAfterMs || pauseMs(call.repeats)), lifeMs);
      call.repeats += 1;
      call.pause();
    }
    if (isValid()) look();
    else fail(error);
  }

  function fail({ reason, isPassing, retryAfterMs }: SessionError): void {
    const wasHeld = held !== undefined || isInDoubt;
    // To a page that held nothing, this code says only that there is no cookie.
    hold(undefined, 'signed-out', wasHeld || reason !== 'token_invalid' ? reason : board.state.reason);
    if (isPassing) askAgainAtMs = nowMs() + retryAfterMs;
    if (wasHeld) parts.expire(reason);
  }

  function look(): void {
    stopTimer(timer);
    if (!held || underWay) return;
    const ageMs = held.ageMs();
    if (ageMs < dueMs) timer = startTimer(look, Math.min(dueMs - ageMs, lookEveryMs));
    else if (!call?.lastError) begin();
    else if (isValid()) attempt();
    else fail(call.lastError);
  }

  return {
    token: () => held?.reveal(),
    isValid,
    isUnderWay: () => call !== undefined,
    adopt,
    drop: (status, reason) => hold(undefined, status, reason),
    doubt() {
      const wasHeld = held !== undefined || isInDoubt;
      hold(undefined, 'unknown', null);
      isInDoubt = wasHeld;
    },
    refresh: () => begin().result,
    refreshOnce: () => begin().firstAnswer,
    giveWay: () => underWay?.abort(),
    look,
    wake(hurries) {
      if (hurries && call?.lastError?.status === 0) dueMs = 0;
      look();
      if (askAgainAtMs !== undefined && nowMs() >= askAgainAtMs) begin();
    },
  };
}
