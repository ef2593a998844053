// Challenges for the next submission, checked against its requirements.

import type { ChallengeOptions } from './challenge-options.js';
import type { ShownEffort, ShownImage } from './challenge-state.js';
import { initialRequirements, type Requirements } from './requirements.js';
import { isExpired, type Lifetime } from './time-limits.js';

export interface PendingWork {
  readonly token: string;
  readonly nonce: string;
  readonly lifetime: Lifetime;
}

export interface PendingImage {
  readonly kind: 'image';
  readonly token: string;
  readonly url: string;
  readonly characters: string | undefined;
  readonly lifetime: Lifetime;
}

export interface PendingEffort {
  readonly kind: 'effort';
  readonly token: string;
  readonly answer: string;
  readonly lifetime: Lifetime;
}

export type PendingCaptcha = PendingImage | PendingEffort;

/** Holds the challenges of the next submission. It does not fetch, solve or wait. */
export class PendingSubmission {
  requirements: Requirements;
  work: PendingWork | null = null;
  #captcha: PendingCaptcha | null = null;
  /** The captcha was taken: it is still displayed, but must not be sent. */
  #isSpent = false;
  /** Whether a replacement was requested. */
  #isUnwanted = false;
  #answer = '';
  /** Progress of the current or solved effort. */
  #effort: ShownEffort | null = null;
  readonly #options: ChallengeOptions;

  constructor(options: ChallengeOptions) {
    this.#options = options;
    this.requirements = initialRequirements(options);
  }

  get needsCaptcha(): boolean {
    return this.requirements.captchaRequired && (this.#captcha === null || this.#isSpent || this.#isUnwanted);
  }

  get needsWork(): boolean {
    return this.#options.pow !== false && (this.work === null || isExpired(this.work));
  }

  get isComplete(): boolean {
    return !this.needsCaptcha && !this.needsWork && !(this.#captcha !== null && isExpired(this.#captcha));
  }

  /** Why the image answer is missing; null if it is present or not needed. */
  get unanswered(): 'expired' | 'blank' | null {
    if (this.#captcha?.kind !== 'image' || this.needsCaptcha) return null;
    if (isExpired(this.#captcha)) return 'expired';
    return this.#answer.trim() === '' ? 'blank' : null;
  }

  /** The captcha to display. */
  get captcha(): ShownImage | ShownEffort | null {
    if (this.#captcha?.kind !== 'image') return this.#effort;
    const { url, characters } = this.#captcha;
    return { kind: 'image', url, characters, expired: isExpired(this.#captcha) };
  }

  /** Fields of the next submission under their configured names; empty unless complete. */
  get fields(): Record<string, string> {
    const fields: Record<string, string> = {};
    if (!this.isComplete) return fields;
    const names = this.#options.fields ?? {};
    const captcha = this.#captcha;
    if (this.work !== null) {
      fields[names.pow_token ?? 'pow_token'] = this.work.token;
      fields[names.pow_nonce ?? 'pow_nonce'] = this.work.nonce;
    }
    if (captcha !== null) {
      fields[names.captcha_token ?? 'captcha_token'] = captcha.token;
      fields[names.captcha ?? 'captcha'] = captcha.kind === 'image' ? this.#answer : captcha.answer;
    }
    return fields;
  }

  /** Milliseconds until the next expiry; infinite if there is none. */
  get leftMs(): number {
    const left = [this.work, this.#captcha].flatMap((challenge) => challenge?.lifetime.leftMs() ?? []);
    return Math.min(...left.filter((ms) => ms > 0));
  }

  setAnswer(text: string): void {
    this.#answer = text;
  }

  setEffort(effort: ShownEffort): void {
    this.#captcha = null;
    this.#effort = effort;
  }

  setCaptcha(captcha: PendingCaptcha): void {
    this.#captcha = captcha;
    this.#isSpent = this.#isUnwanted = false;
    this.#answer = '';
    if (captcha.kind === 'image') this.#effort = null;
  }

  /** Requests a replacement; the current captcha can be sent until the new one arrives. */
  replaceCaptcha(kind: Requirements['kind']): void {
    this.requirements = { ...this.requirements, kind };
    this.#isUnwanted = true;
    if (this.#captcha?.kind !== kind) this.#dropCaptcha();
  }

  /** Marks the captcha as taken. It stays on display until the next one of its kind arrives. */
  spendCaptcha(): void {
    this.#isSpent = true;
    if (!this.requirements.captchaRequired || this.#captcha?.kind !== this.requirements.kind)
      this.#dropCaptcha();
  }

  /** Makes a taken captcha available again, unless it has expired. @returns whether there is one */
  restoreCaptcha(): boolean {
    const captcha = this.#captcha;
    if (!this.requirements.captchaRequired || captcha?.kind !== this.requirements.kind || isExpired(captcha))
      return false;
    this.#isSpent = false;
    return true;
  }

  /** Call it when the replacement could not be fetched. Removes a spent captcha: an answer to it would be useless. */
  cancelReplacement(): void {
    this.#isUnwanted = false;
    if (this.#isSpent || this.#captcha === null) this.#dropCaptcha();
  }

  /** Drops expired work and effort. An expired image stays on display. @returns whether anything was dropped */
  dropExpired(): boolean {
    const isWorkExpired = this.work !== null && isExpired(this.work);
    const isEffortExpired = this.#captcha?.kind === 'effort' && isExpired(this.#captcha);
    if (isWorkExpired) this.work = null;
    if (isEffortExpired) this.#dropCaptcha();
    return isWorkExpired || isEffortExpired;
  }

  /** Drops everything and requires nothing. */
  clear(): void {
    this.work = null;
    this.requirements = { ...this.requirements, captchaRequired: false };
    this.#dropCaptcha();
  }

  #dropCaptcha(): void {
    this.#captcha = null;
    this.#effort = null;
    this.#answer = '';
  }
}
