// Fetches and solves the missing challenges of the next submission, one at a time, and reports the state.

import { PowGaveUpError } from '../solver/errors.js';
import type { Solver } from '../solver/solver.js';
import type { ChallengeOptions } from './challenge-options.js';
import { openChallengeSource } from './challenge-source.js';
import type { ChallengeState, WorkProgress } from './challenge-state.js';
import { CaptchaRequestError } from './errors.js';
import { type PendingCaptcha, PendingSubmission } from './pending-submission.js';
import { type Requirements, withoutEffort } from './requirements.js';
import { createRetryDelay } from './retry-delay.js';

/** Minimum delay before a key stroke retries a failed request. */
const REPEAT_MS = 5_000;
/** Timers stop while a machine sleeps, so ages are checked at least this often. */
const AGE_CHECK_MS = 15_000;

interface ManagerEvents {
  onChange(): void;
  /** A challenge may have expired. */
  onExpiry(): void;
  /** Whether to fetch new work after work has expired unsolved. */
  mayRenew(): boolean;
}

export function openChallengeManager(options: ChallengeOptions, solver: Solver, events: ManagerEvents) {
  const source = openChallengeSource(options, solver);
  const pending = new PendingSubmission(options);
  const retryDelay = createRetryDelay(notify);
  /** Current task. */
  let task: AbortController | null = null;
  let taskDone = Promise.resolve();
  let progress: WorkProgress | null = null;
  let error: Error | null = null;
  let failedAtMs = 0;
  let refusal: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state = snapshot();

  function snapshot(): ChallengeState {
    const rest = error === null ? 'idle' : 'error';
    // Before the status: an image that expires in between is not complete.
    const { captcha } = pending;
    return {
      status: task !== null ? 'solving' : pending.isComplete ? 'ready' : rest,
      work: progress,
      solver: solver.state,
      captchaRequired: pending.requirements.captchaRequired,
      captcha,
      refusal,
      alternatives: pending.requirements.alternatives,
      error,
      retryAtMs: retryDelay.untilMs,
    };
  }

  function notify(): void {
    state = snapshot();
    events.onChange();
  }

  /** Fetches the captcha first, so that the person can answer it while the device solves the work. */
  async function fetchMissing(signal: AbortSignal): Promise<void> {
    while (pending.needsCaptcha) {
      const captcha = await fetchCaptcha(signal);
      signal.throwIfAborted();
      if (captcha !== null) pending.setCaptcha(captcha);
      else if (!events.mayRenew()) return;
      notify();
    }
    while (pending.needsWork) {
      const work = await source.solveWork({ ...pending.requirements, signal }, (at) => {
        progress = at;
        notify();
      });
      signal.throwIfAborted();
      pending.work = work;
      if (work === null && !events.mayRenew()) return;
    }
  }

  async function fetchCaptcha(signal: AbortSignal): Promise<PendingCaptcha | null> {
    const request = { ...pending.requirements, signal };
    if (request.kind === 'image') return source.fetchImage(request);
    try {
      return await source.solveEffort(request, (at) => {
        pending.setEffort(at);
        notify();
      });
    } catch (failure) {
      if (!(failure instanceof CaptchaRequestError) || failure.code !== 'unknown_preset') throw failure;
      pending.requirements = withoutEffort(pending.requirements);
      return source.fetchImage(request);
    }
  }

  /** Fetches what is missing, unless a retry delay is running. Resolves when the task has succeeded, failed or been aborted. */
  function start(): Promise<void> {
    if (task !== null) return taskDone;
    if (!(pending.needsCaptcha || pending.needsWork) || retryDelay.untilMs !== null) return Promise.resolve();
    error = null;
    const current = new AbortController();
    task = current;
    const end = (failure?: Error) => {
      if (task !== current) return;
      task = null;
      if (failure) {
        error = failure;
        failedAtMs = performance.now();
        retryDelay.apply(failure);
        pending.cancelReplacement();
      }
      // One challenge may have expired while the other was solved.
      dropExpired(true);
    };
    taskDone = fetchMissing(current.signal).then(() => end(), end);
    notify();
    return taskDone;
  }

  function abortTask(): void {
    task?.abort();
    task = null;
  }

  function dropExpired(isChanged = false): void {
    // Start the timer first: it catches a challenge that expires while this function runs.
    const { leftMs } = pending;
    clearTimeout(timer);
    if (Number.isFinite(leftMs)) timer = setTimeout(events.onExpiry, Math.min(AGE_CHECK_MS, leftMs));
    const { captcha } = state;
    const expires = captcha?.kind === 'image' && !captcha.expired && pending.unanswered === 'expired';
    if (pending.dropExpired() || expires || isChanged) notify();
  }

  return {
    get state() {
      return state;
    },
    pending: pending as Pick<
      PendingSubmission,
      'requirements' | 'fields' | 'isComplete' | 'needsCaptcha' | 'unanswered' | 'setAnswer'
    >,
    get isRunning() {
      return task !== null;
    },
    /** Whether a touch may retry. Not after a search that gave up: it would give up again. */
    get mayRetry() {
      const isAged = performance.now() - failedAtMs >= REPEAT_MS;
      return error === null || (isAged && !(error instanceof PowGaveUpError));
    },
    start,
    /** Stops the current task and keeps its challenge. */
    pause(): void {
      if (task === null) return;
      abortTask();
      notify();
    },
    dropExpired,
    /** Marks the fields as taken: they are not returned again. */
    spend(): void {
      pending.work = null;
      pending.spendCaptcha();
      notify();
    },
    /** Discards challenges for other requirements. @param keepsCaptcha keeps a captcha that can be sent again */
    renew(next: Requirements, keepsCaptcha = false, code: string | null = null): void {
      refusal = code;
      abortTask();
      source.clear();
      if (retryDelay.untilMs === null) error = null;
      pending.requirements = next;
      pending.work = null;
      if (!keepsCaptcha || !pending.restoreCaptcha()) pending.spendCaptcha();
      notify();
    },
    /** Fetches another captcha, unless a retry delay is running. */
    replaceCaptcha(kind: Requirements['kind']): Promise<void> {
      const isUnderWay = task !== null && pending.needsCaptcha && pending.requirements.kind === kind;
      if (!isUnderWay && retryDelay.untilMs === null) {
        abortTask();
        pending.replaceCaptcha(kind);
      }
      return start();
    },
    close(): void {
      abortTask();
      clearTimeout(timer);
      retryDelay.close();
      pending.clear();
      error = null;
      notify();
    },
  };
}
