// Challenge controller of the element in the frame: ready once the service has redeemed the challenge.

import { type ChallengeState, idleState } from '../../challenge/challenge-state.js';
import type { ChallengeController, PausableChallenge } from '../../challenge/controller.js';
import { CaptchaUnansweredError } from '../../challenge/errors.js';
import { createRetryDelay } from '../../challenge/retry-delay.js';
import { createListeners } from '../../listeners.js';
import { isImageRejected, isWorkRejected, type Receipt, rejectionOf } from './redeem-call.js';

/** Work may expire before it is redeemed, on a slow device or in a tab that sleeps. */
const MOST_ATTEMPTS = 3;

/** Result of a run. */
interface RunEvents {
  /** @param leftSeconds remaining lifetime */
  onReceipt(token: string, leftSeconds: number): void;
  onFailure(error: Error): void;
}

/** One run. */
interface RedeemingRun extends RunEvents {
  /** Opens the run's challenge. */
  readonly open: () => PausableChallenge;
  /** Sends the challenge fields. */
  readonly redeem: (fields: Readonly<Record<string, string>>) => Promise<Response>;
  /** Whether to retry automatically after a failure. */
  readonly retries: boolean;
}

interface RedeemingChallenge extends ChallengeController {
  /** Begins a run; the previous one ends without an event. */
  run(run: RedeemingRun): void;
  /** Submits the image answer. */
  answer(): void;
  /** Ends the run and shows an error; `stop` shows nothing, `showDone` a success. */
  showError(error: Error): void;
  stop(): void;
  showDone(): void;
}

const rejectFields = () => Promise.reject(new Error('The frame redeems its challenges itself.'));

type Phase = 'idle' | 'working' | 'asking' | 'failed' | 'done';

/** @param isPressed whether a button press is in progress */
export function createRedeemingChallenge(isPressed: () => boolean): RedeemingChallenge {
  const listeners = createListeners<[]>();
  const retryDelay = createRetryDelay(notify);
  let current: RedeemingRun | null = null;
  let inner: PausableChallenge | null = null;
  let phase: Phase = 'idle';
  let isRedeeming = false;
  let error: Error | null = null;
  let state: ChallengeState = idleState;

  function snapshot(): ChallengeState {
    const shown = inner?.state ?? idleState;
    if (phase === 'working') return { ...shown, status: 'solving', error: null };
    if (phase === 'asking') return shown;
    if (phase === 'done') return { ...idleState, status: 'ready' };
    if (phase === 'idle') return idleState;
    return { ...idleState, status: 'error', error, retryAtMs: retryDelay.untilMs };
  }

  function notify(): void {
    state = snapshot();
    listeners.notify();
  }

  function enter(next: Phase): void {
    phase = next;
    notify();
  }

  function closeInner(): void {
    inner?.close();
    inner = null;
  }

  function begin(): void {
    if (current === null || retryDelay.untilMs !== null) return;
    closeInner();
    const opened = current.open();
    inner = opened;
    opened.subscribe(() => {
      if (inner !== opened) return;
      const { captcha, status } = opened.state;
      notify();
      // Work in place of the image needs no button press.
      if (phase === 'asking' && captcha?.kind === 'effort' && captcha.solved && status === 'ready') answer();
    });
    void attempt(current, opened);
  }

  async function attempt(run: RedeemingRun, opened: PausableChallenge): Promise<void> {
    const isOver = () => inner !== opened || current !== run;
    enter('working');
    try {
      for (let attempts = 1; ; attempts += 1) {
        const fields = await opened.take();
        const { response, body, sentAtMs } = await send(run, fields);
        if (isOver()) return;
        if (response.ok) return succeed(run, body as Receipt, sentAtMs);
        if (isImageRejected(body)) {
          await opened.settle(body);
          return enter('asking');
        }
        if (!isWorkRejected(body) || attempts === MOST_ATTEMPTS) throw rejectionOf(response, body);
        await opened.settle(body);
      }
    } catch (failure) {
      if (isOver()) return;
      if (failure instanceof CaptchaUnansweredError) enter('asking');
      else fail(run, failure as Error);
    }
  }

  async function send({ redeem }: RedeemingRun, fields: Readonly<Record<string, string>>) {
    isRedeeming = true;
    const sentAtMs = performance.now();
    try {
      const response = await redeem(fields);
      return { response, body: (await response.json().catch(() => undefined)) as unknown, sentAtMs };
    } finally {
      isRedeeming = false;
    }
  }

  /** The remaining lifetime counts from the request, which was sent before the receipt was issued. */
  function succeed(run: RedeemingRun, { token, expires_in }: Receipt, sentAtMs: number): void {
    closeInner();
    enter('done');
    run.onReceipt(token, expires_in - (performance.now() - sentAtMs) / 1000);
  }

  function fail(run: RedeemingRun, failure: Error): void {
    error = failure;
    retryDelay.apply(failure);
    report(run, failure);
  }

  function report(run: RedeemingRun, failure: Error): void {
    closeInner();
    enter('failed');
    run.onFailure(failure);
  }

  function answer(): void {
    if (phase === 'asking' && inner !== null && current !== null) void attempt(current, inner);
  }

  function end(next: Phase): void {
    current = null;
    closeInner();
    enter(next);
  }

  return {
    get status() {
      return state.status;
    },
    get state() {
      return state;
    },
    fields: {},
    get isSubmitting() {
      return isRedeeming;
    },
    subscribe: listeners.add,
    async refresh() {
      if (phase === 'asking') return inner?.refresh();
      // Automatically, or by a button press.
      if (phase === 'failed' && (current?.retries === true || isPressed())) begin();
    },
    touch() {
      if (phase === 'asking') inner?.touch();
    },
    setAnswer: (text) => inner?.setAnswer(text),
    newImage: async () => inner?.newImage(),
    chooseAlternative: async (name) => inner?.chooseAlternative(name),
    take: rejectFields,
    settle: async () => false,
    submit: rejectFields,
    run(run) {
      current = run;
      begin();
      if (retryDelay.untilMs !== null && error !== null) report(run, error);
    },
    answer,
    showError(failure) {
      end('idle');
      error = failure;
      enter('failed');
    },
    stop: () => end('idle'),
    showDone: () => end('done'),
    close() {
      end('idle');
      retryDelay.close();
      listeners.clear();
    },
  };
}
