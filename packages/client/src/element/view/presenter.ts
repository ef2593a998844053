// Turns the state of a controller into a view model, displays it, and decides which changes to announce.

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
  /** What the view displays now. */
  readonly model: ViewModel;
  /** Displays a state; null if there is no controller. @param form undefined if there is none */
  present(state: ChallengeState | null, isDisabled: boolean, form: FormBinding | undefined): void;
  /** Displays a box that the person has closed: it is to take the focus. */
  reveal(): void;
  /** Records the person's choice, which is displayed before the controller has fetched it. */
  choose(name: 'effort' | 'image'): void;
  /** Follows changes of the page's language, and languages that the page adds. */
  start(): void;
  /** Stops that and the timer, and takes the box back into the form. */
  stop(): void;
}

/**
 * @param element its place in the page determines the language
 * @param ownTexts texts of the page that replace those of the language
 * @param onTick called to present the state again: every second during a retry delay, when texts have been loaded, and
 *   when the page's language has changed or a language has been added
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
  /** What was announced last or needed no announcement. */
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

  /** Few elements are displayed in another way, so that way is loaded when it is needed. */
  function place(form: FormBinding | undefined): void {
    const display = displayOf(element);
    view.box.dataset.display = display;
    if (placement !== undefined) {
      placement.update(display, model, form);
      return;
    }
    // Until it has its place it is out of sight, but can take the focus if it is to be displayed.
    view.box.hidden = display !== 'inline' && !model.captchaRequired;
    if (display !== 'inline') {
      import('./placement.js').then(
        ({ createPlacement }) => {
          placement ??= createPlacement(element, view.box);
          onTick();
        },
        // The next change of the state tries again.
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
      // Repetitions fail with the same words, which are announced once.
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
 * Returns what to announce after a change; null for nothing. Only changes that concern the person are announced, never
 * routine work.
 * @param hasFailed an error was announced and its end has not been yet
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
