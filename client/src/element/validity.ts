// When the browser lets the form go, and what it says when it does not.

import type { Shown } from './view-model.js';
import { errorText } from './work-view.js';

export interface Lack {
  readonly flags: ValidityStateFlags;
  readonly message: string;
  /** What the browser's words point at. */
  readonly at: 'answer' | 'status';
}

/**
 * What is missing; null when nothing is.
 * @param holds a submission that comes too early is held by the element, so the work alone need not stop it
 */
export function lackOf({ state, texts }: Shown, answer: string, holds: boolean): Lack | null {
  const { status, captcha } = state;
  if (captcha?.kind === 'image') {
    if (captcha.expired) return { flags: { customError: true }, message: texts.expired, at: 'answer' };
    if (answer.trim() === '') return { flags: { valueMissing: true }, message: texts.missing, at: 'answer' };
  }
  if (status === 'ready' || (holds && status !== 'error')) return null;
  const message = status === 'error' ? texts[errorText(state.error)] : texts.not_ready;
  return { flags: { customError: true }, message, at: 'status' };
}
