// Challenge lifecycle: when challenges are fetched, taken and renewed.

import { createListeners } from '../listeners.js';
import { openSolver } from '../solver/solver.js';
import { openChallengeManager } from './challenge-manager.js';
import type { ChallengeOptions } from './challenge-options.js';
import type { PausableChallenge } from './controller.js';
import { CaptchaUnansweredError } from './errors.js';
import { watchPageActivity } from './page-activity.js';
import { initialRequirements, keepsImage, readRefusal, requirementsAfter } from './requirements.js';
import { countSubmissions, submitForm } from './submissions.js';

/** How long touches fetch nothing after fields were taken: the response to the submission decides the next step. */
const IN_FLIGHT_MS = 10_000;

/** Maximum fetches of one `take`: on a slow device a challenge may expire before it is solved. */
const MOST_STARTS = 3;

/**
 * Creates a challenge controller for a form.
 *
 * | Status | Becomes | When |
 * |---|---|---|
 * | `idle` | `solving` | at once, unless `autoStart` is false or the page is hidden; on `touch`, `refresh`, `take`, `settle` |
 * | `solving` | `ready` | all fields of the next submission are available |
 * | `solving` | `error` | a request failed, or a search gave up |
 * | `solving` | `idle` | the page was left; `pause`; the challenge expired before it was solved and the form is not in use |
 * | `ready` | `idle` | the fields were taken; the image has expired; the work has, and the form is not in use |
 * | `ready` | `solving` | the work has expired and the form is in use; `settle`, `refresh`, `newImage` … |
 * | `error` | `solving` | on `touch`, `refresh`, `take` or `settle`, once `retryAtMs` is over |
 * | any | `idle` | `close` |
 *
 * The form is in use while the page is visible and `touch` was called in the last 2 minutes.
 *
 * @param isPaused whether to begin paused
 */
export function createChallenge(options: ChallengeOptions = {}, isPaused = false): PausableChallenge {
  const { autoStart = true, image } = options;
  const solver = options.solver ?? openSolver(options);
  const listeners = createListeners<[]>();
  const submissions = countSubmissions();
  const manager = openChallengeManager(options, solver, {
    onChange: listeners.notify,
    onExpiry: update,
    mayRenew: () => activity.isActive(),
  });
  const activity = watchPageActivity({ onVisible: update, onLeave: () => manager.pause(), onRestore });
  let takenAtMs: number | null = null;
  let startsWhenVisible = false;
  let isRepeat = false;
  /** Whether challenges were fetched, or would have been without a pause. */
  let hasBegun = autoStart;
  let isClosed = false;

  async function start(): Promise<void> {
    hasBegun = true;
    if (!isPaused) await manager.start();
  }

  function begin(): void {
    startsWhenVisible = !activity.isVisible();
    if (!startsWhenVisible) void start();
  }

  /** Fetches automatically only while the form is in use, and not after an error. */
  function renew(): void {
    if (takenAtMs === null && manager.state.error === null && activity.isActive()) void start();
  }

  /** Called when a challenge may have expired or the page becomes visible. */
  function update(): void {
    manager.dropExpired();
    if (startsWhenVisible) begin();
    else renew();
  }

  /** Discards challenges after a return from the back/forward cache: they may have been sent. */
  function onRestore(): void {
    const isUsed = manager.state.status !== 'idle' || takenAtMs !== null || autoStart;
    takenAtMs = null;
    manager.renew(manager.pending.requirements);
    if (isUsed) begin();
  }

  async function refresh(): Promise<void> {
    if (isClosed) return;
    takenAtMs = null;
    if (!manager.isRunning && manager.state.status !== 'error') manager.renew(manager.pending.requirements);
    await start();
  }

  function touch(): void {
    if (isClosed) return;
    activity.touch();
    manager.dropExpired();
    const isSent = takenAtMs !== null && performance.now() - takenAtMs < IN_FLIGHT_MS;
    if (isSent || !manager.mayRetry) return;
    takenAtMs = null;
    void start();
  }

  async function take(): Promise<Record<string, string>> {
    activity.touch();
    for (let starts = 0; !isClosed; ) {
      manager.dropExpired();
      if (manager.pending.unanswered !== null)
        throw new CaptchaUnansweredError(manager.pending.unanswered === 'expired');
      if (manager.pending.isComplete) return takeFields();
      if (!manager.isRunning) {
        const { error } = manager.state;
        if (error !== null && (starts > 0 || manager.state.retryAtMs !== null)) throw error;
        if (starts === MOST_STARTS) throw new Error('No challenge could be solved before it expired.');
        starts += 1;
      }
      await manager.start();
    }
    throw new DOMException('The challenge is closed.', 'AbortError');
  }

  function takeFields(): Record<string, string> {
    const fields = manager.pending.fields;
    takenAtMs = performance.now();
    manager.spend();
    return fields;
  }

  async function settle(body: unknown): Promise<boolean> {
    if (isClosed) return false;
    activity.touch();
    takenAtMs = null;
    const refusal = body === null ? null : readRefusal(body);
    const requirements =
      refusal === null
        ? initialRequirements(options)
        : requirementsAfter(manager.pending.requirements, refusal, image);
    manager.renew(requirements, refusal !== null && keepsImage(refusal), refusal?.code);
    isRepeat = !isRepeat && refusal?.code === 'pow_insufficient' && !manager.pending.needsCaptcha;
    if (isRepeat) void start();
    else renew();
    return isRepeat;
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    activity.close();
    options.signal?.removeEventListener('abort', close);
    manager.close();
    if (options.solver === undefined) solver.close();
    listeners.clear();
  }

  options.signal?.addEventListener('abort', close);
  if (options.signal?.aborted) close();
  else if (autoStart && !isPaused) begin();

  return {
    get status() {
      return manager.state.status;
    },
    get state() {
      return manager.state;
    },
    get fields() {
      return manager.pending.fields;
    },
    get isSubmitting() {
      return !submissions.isZero || takenAtMs !== null;
    },
    subscribe: listeners.add,
    refresh,
    touch,
    setAnswer(text) {
      manager.pending.setAnswer(text);
      if (text !== '') touch();
    },
    newImage: () => replaceCaptcha('image'),
    chooseAlternative: replaceCaptcha,
    take: () => submissions.add(take()),
    settle,
    submit: (send) => submissions.add(submitForm({ take, settle }, send)),
    pause() {
      isPaused = true;
      if (submissions.isZero) manager.pause();
    },
    resume() {
      if (!isPaused || isClosed) return;
      isPaused = false;
      if (takenAtMs === null && hasBegun) begin();
    },
    close,
  };

  async function replaceCaptcha(kind: 'image' | 'effort'): Promise<void> {
    if (isClosed || isPaused || !manager.pending.requirements.captchaRequired) return;
    activity.touch();
    await manager.replaceCaptcha(kind);
  }
}
