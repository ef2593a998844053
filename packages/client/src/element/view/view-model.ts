// The view model: what the views of the element display, and what they say about an error or a missing answer.

import type { ChallengeState } from '../../challenge/challenge-state.js';
import { errorCodeOf } from '../error-codes.js';
import { fill, type Language, type Texts } from '../languages.js';
import { sayDuration } from './durations.js';

/** A snapshot of everything that the views display. */
export interface ViewModel {
  readonly state: ChallengeState;
  readonly language: Language;
  /** Whether the texts of the language are not there yet, and English ones stand in. */
  readonly isLoading: boolean;
  readonly texts: Texts;
  /** Whole seconds until the service allows the next request; 0 if it is allowed now. */
  readonly waitSeconds: number;
  /** Whether the form requires a captcha now, even if it has not been fetched yet. */
  readonly captchaRequired: boolean;
  /** Whether the person has chosen work in place of the image. */
  readonly effortChosen: boolean;
  /** Whether the element or its fieldset is disabled. */
  readonly disabled: boolean;
}

/** A part of the shadow tree that displays the view model. */
export interface View {
  readonly node: HTMLElement;
  show(model: ViewModel): void;
}

/** Whether the answer to the last image was refused. */
export function isRefused({ refusal }: ChallengeState): boolean {
  return refusal === 'captcha_invalid';
}

/** Whether an image is displayed that the person can answer now: after an error the status says what to do first. */
export function awaitsAnswer({ state: { captcha, status }, disabled }: ViewModel): boolean {
  return captcha?.kind === 'image' && status !== 'error' && !disabled;
}

/** Returns the text for the time that the service asks to wait. */
export function waitText({ state, texts, waitSeconds, language }: ViewModel): string {
  const text = errorCodeOf(state.error) === 'unavailable' ? texts.waiting_service : texts.waiting;
  return fill(text, { time: sayDuration(waitSeconds, language) });
}

/** A reason why the form is invalid. */
export interface Invalidity {
  readonly flags: ValidityStateFlags;
  readonly message: string;
  /** Where the browser displays the message. */
  readonly anchor: 'answer' | 'status';
}

/**
 * Returns why the form is invalid; null if it is valid.
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
