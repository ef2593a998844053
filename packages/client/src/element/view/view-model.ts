// View model of the element, and its messages about errors and missing answers.

import type { ChallengeState } from '../../challenge/challenge-state.js';
import { errorCodeOf } from '../error-codes.js';
import { fill, type Language, type Texts } from '../languages.js';
import { sayDuration } from './durations.js';

/** Snapshot of all displayed data. */
export interface ViewModel {
  readonly state: ChallengeState;
  readonly language: Language;
  /** Whether English texts replace those of the language while they load. */
  readonly isLoading: boolean;
  readonly texts: Texts;
  /** Whole seconds until the service allows the next request; 0 if it is allowed now. */
  readonly waitSeconds: number;
  /** Whether the form requires a captcha, even if it has not been fetched yet. */
  readonly captchaRequired: boolean;
  /** Whether the person has chosen work in place of the image. */
  readonly effortChosen: boolean;
  /** Whether the element or its fieldset is disabled. */
  readonly disabled: boolean;
}

/** Part of the shadow tree that displays the view model. */
export interface View {
  readonly node: HTMLElement;
  show(model: ViewModel): void;
}

/** Whether the last image answer was rejected. */
export function isRefused({ refusal }: ChallengeState): boolean {
  return refusal === 'captcha_invalid';
}

/** Whether the person can answer the displayed image: after an error the status says what to do first. */
export function awaitsAnswer({ state: { captcha, status }, disabled }: ViewModel): boolean {
  return captcha?.kind === 'image' && status !== 'error' && !disabled;
}

/** Returns the text for a `Retry-After` delay. */
export function waitText({ state, texts, waitSeconds, language }: ViewModel): string {
  const text = errorCodeOf(state.error) === 'unavailable' ? texts.waiting_service : texts.waiting;
  return fill(text, { time: sayDuration(waitSeconds, language) });
}

/** Validation error of the form. */
interface Invalidity {
  readonly flags: ValidityStateFlags;
  readonly message: string;
  /** Anchor of the browser's message. */
  readonly anchor: 'answer' | 'status';
}

/**
 * Returns the validation error; null if the form is valid.
 * @param holdsSubmit the element delays early submissions itself, so unfinished work does not make the form invalid
 */
export function validate(model: ViewModel, answer: string, holdsSubmit: boolean): Invalidity | null {
  const { state, texts } = model;
  const { status, captcha } = state;
  if (captcha?.kind === 'image') {
    if (captcha.expired) return { flags: { customError: true }, message: texts.expired, anchor: 'answer' };
    if (answer.trim() === '')
      return { flags: { valueMissing: true }, message: texts.missing, anchor: 'answer' };
  }
  if (status === 'ready' || (holdsSubmit && status !== 'error')) return null;
  const message = status === 'error' ? texts[errorCodeOf(state.error)] : texts.not_ready;
  return { flags: { customError: true }, message, anchor: awaitsAnswer(model) ? 'answer' : 'status' };
}
