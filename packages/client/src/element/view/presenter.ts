// Converts controller state into a view model, displays it, and selects changes to announce.

import { type ChallengeState, idleState } from '../../challenge/challenge-state.js';
import { displayOf } from '../attributes.js';
import { errorCodeOf } from '../error-codes.js';
import type { FormBinding } from '../form/form-binding.js';
import { languageEvents, languageOf, loadTexts, type Texts, textsOf } from '../languages.js';
import { en } from '../texts/en.js';
import { type ChallengeEvents, type ChallengeView, createChallengeView } from './challenge-view.js';
import type { Placement } from './placement.js';
import { isRefused, type ViewModel, waitText } from './view-model.js';

export interface Presenter {
  readonly view: ChallengeView;
  /** Displayed view model. */
  readonly model: ViewModel;
  /** Displays a state; null if there is no controller. @param form undefined if there is none */
  present(state: ChallengeState | null, isDisabled: boolean, form: FormBinding | undefined): void;
  /** Displays a closed box, so that it can take the focus. */
  reveal(): void;
  /** Records the person's choice, and displays it before the controller has fetched it. */
  choose(name: 'effort' | 'image'): void;
  /** Follows changes of the page's language, and added languages. */
  start(): void;
  /** Stops following and the timer, and moves the box back into the form. */
  stop(): void;
}

/**
 * @param element its position in the page determines the language
 * @param ownTexts texts of the page, which replace those of the language
 * @param onTick called to present the state again: every second during a retry delay, when texts have loaded, and when
 *   the page's language has changed or a language has been added
 */
export function createPresenter(
  element: HTMLElement,
  ownTexts: () => Partial<Texts>,
  root: ShadowRoot,
  events: ChallengeEvents,
  onTick: () => void,
): Presenter {
  const view = createChallengeView(root, events);
  let placement: Placement | undefined;
  const languageObserver = new MutationObserver(onTick);
  let timer: ReturnType<typeof setInterval> | undefined;
  let effortChosen = false;
  let model = modelOf(idleState, false);
  /** Last model that was announced or needed no announcement. */
  let announced: ViewModel | undefined;
  let hasFailed = false;
  let announcedError = '';
  let lastDelayed: FormBinding['delayed'];

  function modelOf(state: ChallengeState, disabled: boolean): ViewModel {
    const language = languageOf(element);
    const captchaRequired = state.captcha !== null || state.captchaRequired;
    if (state.captcha !== null) effortChosen = state.captcha.kind === 'effort';
    else if (!captchaRequired) effortChosen = false;
    const waitMs = (state.retryAtMs ?? 0) - Date.now();
    const texts = textsOf(language);
    return {
      state,
      language,
      isLoading: texts === undefined,
      texts: { ...(texts ?? en), ...ownTexts() },
      waitSeconds: Math.max(0, Math.ceil(waitMs / 1000)),
      captchaRequired,
      effortChosen,
      disabled,
    };
  }

  /** Loaded on demand: few elements use another display mode. */
  function place(form: FormBinding | undefined): void {
    const display = displayOf(element);
    view.box.dataset.display = display;
    if (placement !== undefined) {
      placement.update(display, model, form);
      return;
    }
    // Out of sight until placed, but focusable if it will be displayed.
    view.box.hidden = display !== 'inline' && !model.captchaRequired;
    if (display !== 'inline') {
      import('./placement.js').then(
        ({ createPlacement }) => {
          placement ??= createPlacement(element, view.box);
          onTick();
        },
        // The next state change retries.
        () => undefined,
      );
    }
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    view,
    get model() {
      return model;
    },
    present(state, isDisabled, form) {
      model = modelOf(state ?? idleState, isDisabled);
      view.show(model);
      place(form);
      if (model.waitSeconds === 0) stop();
      else timer ??= setInterval(onTick, 1000);
      if (model.isLoading) {
        void loadTexts(model.language).then(onTick);
        return;
      }
      if (form?.delayed !== lastDelayed && form?.delayed !== undefined) view.announce(model.texts.delayed);
      lastDelayed = form?.delayed;
      const announcement = isDisabled ? null : announcementOf(announced, model, hasFailed);
      announced = model;
      // Retries fail with the same text, which is announced once.
      if (announcement !== null && announcement !== announcedError) view.announce(announcement);
      if (model.state.status === 'error') {
        hasFailed = true;
        announcedError = announcement ?? announcedError;
      } else if (model.state.status === 'ready') {
        hasFailed = false;
        announcedError = '';
      }
    },
    reveal: () => placement?.reopen(),
    choose(name) {
      effortChosen = name === 'effort';
    },
    start() {
      languageObserver.observe(document.documentElement, { attributeFilter: ['lang'] });
      languageEvents.addEventListener('change', onTick);
    },
    stop() {
      languageObserver.disconnect();
      languageEvents.removeEventListener('change', onTick);
      stop();
      placement?.stop();
    },
  };
}

/**
 * Returns the announcement after a change, or null. Only changes that concern the person are announced, never routine
 * work.
 * @param hasFailed an error was announced, but not yet its end
 */
function announcementOf(before: ViewModel | undefined, now: ViewModel, hasFailed: boolean): string | null {
  const { state, texts, waitSeconds } = now;
  const was = before?.state;
  if (waitSeconds > 0) {
    const isNew = (before?.waitSeconds ?? 0) === 0;
    return isNew ? waitText(now) : null;
  }
  if (state.status === 'error' && (was?.error !== state.error || (before?.waitSeconds ?? 0) > 0)) {
    return texts[errorCodeOf(state.error)];
  }
  if (now.effortChosen && before?.effortChosen !== true) return texts.effort_started;
  const { captcha } = state;
  const earlier = was?.captcha ?? null;
  if (captcha?.kind === 'image') {
    const isAnother = earlier?.kind !== 'image' || earlier.url !== captcha.url;
    if (isAnother) return isRefused(state) ? texts.wrong : texts.image_shown;
    return captcha.expired && !earlier.expired ? texts.expired : null;
  }
  if (captcha?.kind === 'effort' && captcha.solved) {
    return earlier?.kind === 'effort' && !earlier.solved ? texts.effort_done : null;
  }
  return hasFailed && state.status === 'ready' ? texts.ready_again : null;
}
