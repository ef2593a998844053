// Makes the challenges of one form: when they are fetched, handed out and renewed.

import { createListeners } from '../listeners.js';
import { openSolver } from '../solver/solver.js';
import { CaptchaUnansweredError } from './captcha-unanswered-error.js';
import { openStock } from './challenge-manager.js';
import type { ChallengeOptions } from './challenge-options.js';
import type { PausableChallenge } from './controller.js';
import { countCalls } from './count-calls.js';
import { watchAttention } from './page-activity.js';
import { readRefusal, sparesImage } from './refusal.js';
import { demandAfter, firstDemand } from './requirements.js';
import { submitForm } from './submissions.js';

/** So long after fields were handed out, the answer to the submission decides what is fetched next. */
const IN_FLIGHT_MS = 10_000;

/** How often `take` begins to make what is missing: on a slow device it may be too old when it is there. */
const MOST_STARTS = 3;

/**
 * Makes the challenges of one form.
 *
 * | Status | Becomes | When |
 * |---|---|---|
 * | `idle` | `solving` | at once, unless `autoStart` is false or the page is hidden; on `touch`, `refresh`, `take`, `settle` |
 * | `solving` | `ready` | everything that the next submission has to carry is there |
 * | `solving` | `error` | a request failed, or a search gave up |
 * | `solving` | `idle` | the page was left, `pause`, or the time was over before it was solved and nobody is at the form |
 * | `ready` | `idle` | the fields were handed out; the image has expired; the work has, and nobody is at the form |
 * | `ready` | `solving` | the work has expired and somebody is at the form; `settle`, `refresh`, `newImage` … |
 * | `error` | `solving` | on `touch`, `refresh`, `take` or `settle`, once `retryAtMs` is over |
 * | any | `idle` | `close` |
 *
 * Somebody is at the form while the page is visible and `touch` was called in the last 2 minutes (decisions 3.8).
 */
export function createChallenge(options: ChallengeOptions = {}): PausableChallenge {
  const { autoStart = true, image } = options;
  const solver =
    options.solver ?? openSolver(options.workerUrl === undefined ? {} : { workerUrl: options.workerUrl });
  const listeners = createListeners<[]>();
  const submissions = countCalls();
  const stock = openStock(options, solver, {
    changed: listeners.notify,
    aged: look,
    mayRenew: () => attention.isThere(),
  });
  const attention = watchAttention({ shown: look, left: () => stock.pause(), returned });
  let handedOutAtMs: number | null = null;
  let startsWhenShown = false;
  let isRepeat = false;
  let isPaused = false;
  let isClosed = false;

  async function start(): Promise<void> {
    if (!isPaused) await stock.start();
  }

  function begin(): void {
    startsWhenShown = !attention.isVisible();
    if (!startsWhenShown) void start();
  }

  /** Nothing is made by itself but for somebody at the form, and nothing after an error. */
  function renew(): void {
    if (handedOutAtMs === null && stock.state.error === null && attention.isThere()) void start();
  }

  /** Time has passed, or the page is looked at again. */
  function look(): void {
    stock.sweep();
    if (startsWhenShown) begin();
    else renew();
  }

  /** What came back with the page from the back/forward cache has been sent, for all that is known. */
  function returned(): void {
    const isUsed = stock.state.status !== 'idle' || handedOutAtMs !== null || autoStart;
    handedOutAtMs = null;
    stock.renew(stock.holding.demand);
    if (isUsed) begin();
  }

  async function refresh(): Promise<void> {
    if (isClosed) return;
    handedOutAtMs = null;
    if (!stock.isRunning && stock.state.status !== 'error') stock.renew(stock.holding.demand);
    await start();
  }

  function touch(): void {
    if (isClosed) return;
    attention.touch();
    stock.sweep();
    const isSent = handedOutAtMs !== null && performance.now() - handedOutAtMs < IN_FLIGHT_MS;
    if (isSent || !stock.mayRetry) return;
    handedOutAtMs = null;
    void start();
  }

  async function take(): Promise<Record<string, string>> {
    attention.touch();
    for (let starts = 0; !isClosed; ) {
      stock.sweep();
      if (stock.holding.unanswered !== null)
        throw new CaptchaUnansweredError(stock.holding.unanswered === 'expired');
      if (stock.holding.isComplete) return handOut();
      if (!stock.isRunning) {
        const { error } = stock.state;
        if (error !== null && (starts > 0 || stock.state.retryAtMs !== null)) throw error;
        if (starts === MOST_STARTS) throw new Error('No challenge could be solved before it expired.');
        starts += 1;
      }
      await stock.start();
    }
    throw new DOMException('The challenge is closed.', 'AbortError');
  }

  function handOut(): Record<string, string> {
    const fields = stock.holding.fields;
    handedOutAtMs = performance.now();
    stock.spend();
    return fields;
  }

  async function settle(body: unknown): Promise<boolean> {
    if (isClosed) return false;
    attention.touch();
    handedOutAtMs = null;
    const refusal = body === null ? null : readRefusal(body);
    const demand = refusal === null ? firstDemand(image) : demandAfter(stock.holding.demand, refusal, image);
    stock.renew(demand, refusal !== null && sparesImage(refusal));
    isRepeat = !isRepeat && refusal?.code === 'pow_insufficient' && !stock.holding.lacksCaptcha;
    if (isRepeat) void start();
    else renew();
    return isRepeat;
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    attention.close();
    options.signal?.removeEventListener('abort', close);
    stock.close();
    if (options.solver === undefined) solver.close();
    listeners.clear();
  }

  options.signal?.addEventListener('abort', close);
  if (options.signal?.aborted) close();
  else if (autoStart) begin();

  return {
    get status() {
      return stock.state.status;
    },
    get state() {
      return stock.state;
    },
    get fields() {
      return stock.holding.fields;
    },
    get isSubmitting() {
      return !submissions.isZero || handedOutAtMs !== null;
    },
    subscribe: listeners.add,
    refresh,
    touch,
    setAnswer(text) {
      stock.holding.type(text);
      if (text !== '') touch();
    },
    newImage: () => replaceCaptcha('image'),
    chooseAlternative: replaceCaptcha,
    take: () => submissions.add(take()),
    settle,
    submit: (send) => submissions.add(submitForm({ take, settle }, send)),
    pause() {
      isPaused = true;
      if (submissions.isZero) stock.pause();
    },
    resume() {
      if (!isPaused || isClosed) return;
      isPaused = false;
      if (handedOutAtMs === null) begin();
    },
    close,
  };

  async function replaceCaptcha(kind: 'image' | 'effort'): Promise<void> {
    if (isClosed || isPaused || !stock.holding.demand.captchaRequired) return;
    attention.touch();
    await stock.replaceCaptcha(kind);
  }
}
