// What a form holds of challenges against what the next submission demands.

import type { ChallengeOptions } from './challenge-options.js';
import type { ShownEffort, ShownImage } from './challenge-state.js';
import { fieldsOf, type HeldCaptcha, type HeldWork, isOver } from './held-challenge.js';
import { type Demand, firstDemand } from './requirements.js';

/** What a form holds. Nothing in here fetches, solves or waits. */
export class Holding {
  demand: Demand;
  work: HeldWork | null = null;
  #captcha: HeldCaptcha | null = null;
  /** The captcha is shown still, but not to be sent: it was handed out. */
  #isSpent = false;
  /** Another was asked for. */
  #isUnwanted = false;
  #typed = '';
  /** How far the effort is that is made, or held. */
  #effort: ShownEffort | null = null;
  readonly #options: ChallengeOptions;

  constructor(options: ChallengeOptions) {
    this.#options = options;
    this.demand = firstDemand(options.image);
  }

  get lacksCaptcha(): boolean {
    return this.demand.captchaRequired && (this.#captcha === null || this.#isSpent || this.#isUnwanted);
  }

  get lacksWork(): boolean {
    return this.#options.pow !== false && (this.work === null || isOver(this.work));
  }

  get isComplete(): boolean {
    return !this.lacksCaptcha && !this.lacksWork && !(this.#captcha !== null && isOver(this.#captcha));
  }

  /** Whether the person still has to answer the image, and whether that is too late. */
  get unanswered(): 'expired' | 'blank' | null {
    if (this.#captcha?.kind !== 'image' || this.lacksCaptcha) return null;
    if (isOver(this.#captcha)) return 'expired';
    return this.#typed.trim() === '' ? 'blank' : null;
  }

  get shown(): ShownImage | ShownEffort | null {
    if (this.#captcha?.kind !== 'image') return this.#effort;
    return { kind: 'image', url: this.#captcha.url, expired: isOver(this.#captcha) };
  }

  /** The fields of the next submission; none unless complete. */
  get fields(): Record<string, string> {
    if (!this.isComplete) return {};
    return fieldsOf(this.work, this.#captcha, this.#typed, this.#options.fields);
  }

  /** Milliseconds until something of it is too old; infinite when nothing will be. */
  get leftMs(): number {
    const left = [this.work, this.#captcha].flatMap((held) => held?.lifetime.leftMs() ?? []);
    return Math.min(...left.filter((ms) => ms > 0));
  }

  type(text: string): void {
    this.#typed = text;
  }

  showEffort(effort: ShownEffort): void {
    this.#captcha = null;
    this.#effort = effort;
  }

  keepCaptcha(captcha: HeldCaptcha): void {
    this.#captcha = captcha;
    this.#isSpent = this.#isUnwanted = false;
    this.#typed = '';
    if (captcha.kind === 'image') this.#effort = null;
  }

  /** Another captcha is to be made, though this one can still be sent until then. */
  replaceCaptcha(kind: Demand['kind']): void {
    this.demand = { ...this.demand, kind };
    this.#isUnwanted = true;
    if (this.#captcha?.kind !== kind) this.#dropCaptcha();
  }

  /** The captcha was handed out; it stays in sight until the next is there, if that is answered in the same way. */
  spendCaptcha(): void {
    this.#isSpent = true;
    if (!this.demand.captchaRequired || this.#captcha?.kind !== this.demand.kind) this.#dropCaptcha();
  }

  /** A captcha that was handed out can be sent again, unless it is too old. @returns whether there is one */
  restoreCaptcha(): boolean {
    const captcha = this.#captcha;
    if (!this.demand.captchaRequired || captcha?.kind !== this.demand.kind || isOver(captcha)) return false;
    this.#isSpent = false;
    return true;
  }

  /** No other could be made. What is spent is not shown any more: it would be answered, for nothing. */
  giveUpCaptcha(): void {
    this.#isUnwanted = false;
    if (this.#isSpent || this.#captcha === null) this.#dropCaptcha();
  }

  /** Drops what is too old, but for an image, which stays in sight and says so. @returns whether something was */
  dropOld(): boolean {
    const isWorkOld = this.work !== null && isOver(this.work);
    const isEffortOld = this.#captcha?.kind === 'effort' && isOver(this.#captcha);
    if (isWorkOld) this.work = null;
    if (isEffortOld) this.#dropCaptcha();
    return isWorkOld || isEffortOld;
  }

  /** Lets go of everything, for good. */
  renounce(): void {
    this.work = null;
    this.demand = { ...this.demand, captchaRequired: false };
    this.#dropCaptcha();
  }

  #dropCaptcha(): void {
    this.#captcha = null;
    this.#effort = null;
    this.#typed = '';
  }
}
