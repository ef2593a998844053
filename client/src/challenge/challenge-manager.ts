// The making of what a form lacks of challenges: one thing at a time, and told to whoever looks.

import { PowGaveUpError } from '../solver/errors.js';
import type { Solver } from '../solver/solver.js';
import type { ChallengeOptions } from './challenge-options.js';
import { openWorkshop } from './challenge-source.js';
import type { ChallengeState, WorkProgress } from './challenge-state.js';
import { CaptchaRequestError } from './errors.js';
import type { HeldCaptcha } from './held-challenge.js';
import { Holding } from './pending-submission.js';
import { type Demand, withoutEffort } from './requirements.js';
import { openWait } from './retry-delay.js';
import { createSingleRun } from './single-run.js';

/** A failed request is not repeated by key strokes sooner than this. */
const REPEAT_MS = 5_000;

/** Timers stand still while a machine sleeps, so ages are looked at this often in any case. */
const LOOK_MS = 15_000;

export interface StockListener {
  changed(): void;
  /** Something may have become too old. */
  aged(): void;
  /** Whether work whose time was over before it was solved is begun once more. */
  mayRenew(): boolean;
}

export type Stock = ReturnType<typeof openStock>;

export function openStock(options: ChallengeOptions, solver: Solver, listener: StockListener) {
  const workshop = openWorkshop(options, solver);
  const holding = new Holding(options);
  const run = createSingleRun();
  const wait = openWait(tell);
  let progress: WorkProgress | null = null;
  let error: Error | null = null;
  let failedAtMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state = snapshot();

  function snapshot(): ChallengeState {
    const rest = error === null ? 'idle' : 'error';
    return {
      status: run.isOn ? 'solving' : holding.isComplete ? 'ready' : rest,
      work: progress,
      solver: solver.state,
      captchaRequired: holding.demand.captchaRequired,
      captcha: holding.shown,
      alternatives: holding.demand.alternatives,
      error,
      retryAtMs: wait.untilMs,
    };
  }

  function tell(): void {
    state = snapshot();
    listener.changed();
  }

  /** The captcha first: the person answers it while the work is done. */
  async function makeMissing(signal: AbortSignal): Promise<void> {
    while (holding.lacksCaptcha) {
      const made = await makeCaptcha(signal);
      signal.throwIfAborted();
      if (made !== null) holding.keepCaptcha(made);
      else if (!listener.mayRenew()) return;
      tell();
    }
    while (holding.lacksWork) {
      const made = await workshop.makeWork({ ...holding.demand, signal }, (at) => {
        progress = at;
        tell();
      });
      signal.throwIfAborted();
      holding.work = made;
      if (made === null && !listener.mayRenew()) return;
    }
  }

  async function makeCaptcha(signal: AbortSignal): Promise<HeldCaptcha | null> {
    const order = { ...holding.demand, signal };
    if (holding.demand.kind === 'image') return workshop.makeImage(order);
    try {
      return await workshop.makeEffort(order, (at) => {
        holding.showEffort(at);
        tell();
      });
    } catch (failure) {
      if (!(failure instanceof CaptchaRequestError) || failure.code !== 'unknown_preset') throw failure;
      holding.demand = withoutEffort(holding.demand);
      return workshop.makeImage(order);
    }
  }

  function ended(failure: Error | null): void {
    if (failure !== null) {
      error = failure;
      failedAtMs = performance.now();
      wait.heed(failure);
      holding.giveUpCaptcha();
    }
    // One part may have become too old while the other was made.
    holding.dropOld();
    tell();
    watchAges();
  }

  /** Makes what is missing, unless the service asked to wait. Resolves when it is there, has failed or was aborted. */
  function start(): Promise<void> {
    if (run.isOn) return run.join();
    const isMissing = holding.lacksCaptcha || holding.lacksWork;
    if (!isMissing || wait.untilMs !== null) return Promise.resolve();
    error = null;
    const done = run.start(makeMissing, ended);
    tell();
    return done;
  }

  /** Drops what is too old. */
  function sweep(): void {
    const shown = state.captcha?.kind === 'image' && !state.captcha.expired;
    const expires = shown && holding.unanswered === 'expired';
    if (holding.dropOld() || expires) tell();
    watchAges();
  }

  function watchAges(): void {
    clearTimeout(timer);
    const { leftMs } = holding;
    if (Number.isFinite(leftMs)) timer = setTimeout(listener.aged, Math.min(LOOK_MS, leftMs));
  }

  return {
    get state() {
      return state;
    },
    get holding(): Pick<
      Holding,
      'demand' | 'fields' | 'isComplete' | 'lacksCaptcha' | 'unanswered' | 'type'
    > {
      return holding;
    },
    get isRunning() {
      return run.isOn;
    },
    /** Whether a touch may try again: a search that gave up would give up again. */
    get mayRetry() {
      const isAged = performance.now() - failedAtMs >= REPEAT_MS;
      return error === null || (isAged && !(error instanceof PowGaveUpError));
    },
    start,
    /** Stops what is under way; a challenge that is being worked on is kept. */
    pause(): void {
      if (!run.isOn) return;
      run.abort();
      tell();
    },
    sweep,
    /** Takes note that the fields have been handed out. */
    spend(): void {
      holding.work = null;
      holding.spendCaptcha();
      tell();
    },
    /** Everything is to be made anew, for the next demand. @param sparesCaptcha but a captcha that can still be sent */
    renew(next: Demand, sparesCaptcha = false): void {
      run.abort();
      workshop.clear();
      if (wait.untilMs === null) error = null;
      holding.demand = next;
      holding.work = null;
      if (!sparesCaptcha || !holding.restoreCaptcha()) holding.spendCaptcha();
      tell();
    },
    /** Makes another captcha, unless the service asked to wait. */
    replaceCaptcha(kind: Demand['kind']): Promise<void> {
      const isBeingMade = run.isOn && holding.lacksCaptcha && holding.demand.kind === kind;
      if (!isBeingMade && wait.untilMs === null) {
        run.abort();
        holding.replaceCaptcha(kind);
      }
      return start();
    },
    close(): void {
      run.abort();
      clearTimeout(timer);
      wait.close();
      holding.renounce();
      error = null;
      tell();
    },
  };
}
