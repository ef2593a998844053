// Challenges that are held for a submission, and the fields that they give it.

import type { FieldNames } from './challenge-options.js';
import type { Lifetime } from './lifetime.js';

export interface HeldWork {
  readonly token: string;
  readonly nonce: string;
  readonly lifetime: Lifetime;
}

export interface HeldImage {
  readonly kind: 'image';
  readonly token: string;
  readonly url: string;
  readonly lifetime: Lifetime;
}

export interface HeldEffort {
  readonly kind: 'effort';
  readonly token: string;
  readonly answer: string;
  readonly lifetime: Lifetime;
}

export type HeldCaptcha = HeldImage | HeldEffort;

/** The fields of a submission. @param typed the person's answer, when an image is held */
export function fieldsOf(
  work: HeldWork | null,
  captcha: HeldCaptcha | null,
  typed: string,
  names: FieldNames = {},
): Record<string, string> {
  const fields: Record<string, string> = {};
  if (work !== null) {
    fields[names.pow_token ?? 'pow_token'] = work.token;
    fields[names.pow_nonce ?? 'pow_nonce'] = work.nonce;
  }
  if (captcha !== null) {
    fields[names.captcha_token ?? 'captcha_token'] = captcha.token;
    fields[names.captcha ?? 'captcha'] = captcha.kind === 'image' ? typed : captcha.answer;
  }
  return fields;
}

/** Whether its time is over. */
export function isOver({ lifetime }: { readonly lifetime: Lifetime }): boolean {
  return lifetime.leftMs() <= 0;
}
