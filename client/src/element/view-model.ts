// The view model: what the views of the element display, and what they say about an error or a missing answer.

import type { ChallengeState } from '../challenge/challenge-state.js';
import { CaptchaRequestError } from '../challenge/errors.js';
import { PowGaveUpError } from '../solver/errors.js';
import type { Language, TextKey, Texts } from './texts.js';

/** A snapshot of everything that the views display. */
export interface ViewModel {
  readonly state: ChallengeState;
  readonly language: Language;
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

/** Returns the text that explains an error. */
export function errorText(error: Error | null): TextKey {
  if (error instanceof PowGaveUpError) return 'gave_up';
  if (error instanceof CaptchaRequestError) {
    if (error.isRateLimited) return 'wait_over';
    return error.status >= 500 ? 'unavailable' : 'wrong_setup';
  }
  // `fetch` throws a TypeError without an answer, and the client throws a TimeoutError if none comes in time.
  return error instanceof TypeError || error?.name === 'TimeoutError' ? 'offline' : 'failed';
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
export function validate(
  { state, texts }: ViewModel,
  answer: string,
  holdsSubmit: boolean,
): Invalidity | null {
  const { status, captcha } = state;
  if (captcha?.kind === 'image') {
    if (captcha.expired) return { flags: { customError: true }, message: texts.expired, anchor: 'answer' };
    if (answer.trim() === '')
      return { flags: { valueMissing: true }, message: texts.missing, anchor: 'answer' };
  }
  if (status === 'ready' || (holdsSubmit && status !== 'error')) return null;
  const message = status === 'error' ? texts[errorText(state.error)] : texts.not_ready;
  return { flags: { customError: true }, message, anchor: 'status' };
}
