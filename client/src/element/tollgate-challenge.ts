// The element <tollgate-challenge>: puts the challenge fields into the form that it stands in.

import type { ChallengeStatus } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import { optionAttributes } from './attributes.js';
import { type ControllerSlot, createControllerSlot } from './controller-binding.js';
import { type FormWiring, submitImplicitly, wireForm } from './form-binding.js';
import { FormField } from './form-field.js';
import { createPresenter, type Presenter } from './presenter.js';
import { lackOf } from './validity.js';

/**
 * A form-associated element. Events: `statuschange` when `status` has changed, `input` and `change` as of any field.
 * Attributes, parts and custom properties are in docs/client/element.md.
 */
export class TollgateChallenge extends FormField {
  static readonly observedAttributes: readonly string[] = [...optionAttributes, 'hold-submit', 'lang'];

  readonly #slot: ControllerSlot = createControllerSlot(this, () => this.#update());
  readonly #presenter: Presenter;
  /** Follows the language of the page. */
  readonly #page = new MutationObserver(() => this.#update());
  #wiring: FormWiring | undefined;
  #shownStatus: ChallengeStatus = 'idle';

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    const events = {
      onRetry: () => this.refresh(),
      onAnswer: (text: string) => this.#answer(text),
      onCommit: () => this.#announceChange(),
      onNewImage: () => this.controller?.newImage(),
      onEnter: () => this.form !== null && submitImplicitly(this.form),
      onChoose: (name: 'effort' | 'image') => this.#choose(name),
    };
    this.#presenter = createPresenter(this, root, events, () => this.#update());
    for (const name of ['focusin', 'input', 'pointerdown']) this.addEventListener(name, () => this.#touch());
  }

  /** What drives the element: one of its own, or one that a script shares with it and closes itself. */
  get controller(): ChallengeController | null {
    return this.#slot.controller;
  }

  set controller(controller: ChallengeController | null) {
    if (controller !== null) this.#slot.share(controller);
    else {
      this.#slot.empty();
      if (this.isConnected) this.#begin();
    }
  }

  get status(): ChallengeStatus {
    return this.controller?.status ?? 'idle';
  }

  /** Fetches and solves fresh challenges; resolves when that has come to an end, well or badly. */
  async refresh(): Promise<void> {
    await this.controller?.refresh();
  }

  /**
   * To be told the answer to a submission that a script has sent: its parsed body, or null when it succeeded. Fetches
   * fresh challenges, and shows an image when the body has `captcha_required`.
   * @returns whether to send the form once more at once with better work (`pow_insufficient`)
   */
  async settle(body: unknown): Promise<boolean> {
    return (await this.controller?.settle(body)) ?? false;
  }

  connectedCallback(): void {
    this.#readEarlyController();
    this.#begin();
    this.#wire();
    this.#page.observe(document.documentElement, { attributeFilter: ['lang'] });
  }

  disconnectedCallback(): void {
    // A move within the page disconnects and connects: the work goes on.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#page.disconnect();
      this.#presenter.rest();
      this.#wiring?.release();
      this.#wiring = undefined;
      this.#slot.leave();
    });
  }

  attributeChangedCallback(name: string): void {
    if (name === 'lang' || name === 'hold-submit') this.#update();
    else this.#slot.renew(() => this.#begin());
  }

  formAssociatedCallback(): void {
    this.#wire();
  }

  formDisabledCallback(): void {
    if (this.isConnected) this.#begin();
  }

  formResetCallback(): void {
    this.#presenter.view.image.clear();
    this.controller?.setAnswer('');
    this.#update();
  }

  /** Nothing is restored: what was typed belonged to an image that is gone. */
  formStateRestoreCallback(): void {
    this.formResetCallback();
  }

  /** By its own attribute or by a fieldset around it. */
  get #isDisabled(): boolean {
    return this.matches(':disabled');
  }

  #begin(): void {
    this.#slot.open();
    if (this.#isDisabled) this.#slot.pause();
    else this.#slot.start();
    this.#update();
  }

  /** A property that was set before the element was defined hides that of the class. */
  #readEarlyController(): void {
    if (!Object.hasOwn(this, 'controller')) return;
    const early = this.controller;
    Reflect.deleteProperty(this, 'controller');
    this.controller = early;
  }

  #touch(): void {
    if (!this.#isDisabled) this.controller?.touch();
  }

  #answer(text: string): void {
    this.controller?.setAnswer(text);
    // The fields have changed, though the state has not.
    this.#update();
  }

  #choose(name: 'effort' | 'image'): void {
    this.#presenter.choose(name);
    void this.controller?.chooseAlternative(name);
    this.#update();
    this.#announceChange();
  }

  #announceChange(): void {
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }

  #wire(): void {
    this.#wiring?.release();
    this.#wiring = undefined;
    const { form } = this;
    if (form === null || !this.isConnected) return;
    this.#wiring = wireForm(form, {
      isReady: () => this.#isDisabled || this.status === 'ready',
      isSubmitting: () => this.controller?.isSubmitting === true,
      onTouch: () => this.#touch(),
      onHeld: () => this.#presenter.announce('held'),
      onSpent: () => this.settle(null),
    });
    this.#update();
  }

  #update(): void {
    const holdsSubmit = this.hasAttribute('hold-submit');
    this.#presenter.present(this.controller?.state ?? null, this.#isDisabled);
    this.#fillForm(holdsSubmit);
    this.#wiring?.update(!this.#isDisabled && !holdsSubmit && this.status !== 'ready');
    if (this.status === 'error') this.#wiring?.drop();
    if (this.status === this.#shownStatus) return;
    this.#shownStatus = this.status;
    this.dispatchEvent(new Event('statuschange'));
  }

  #fillForm(holdsSubmit: boolean): void {
    const { view, shown } = this.#presenter;
    const fields = Object.entries(this.controller?.fields ?? {});
    const data = new FormData();
    for (const [name, value] of fields) data.set(name, value);
    // No state besides: a browser that restores the form would have kept the tokens.
    this.internals.setFormValue(fields.length === 0 ? null : data, null);
    const { input } = view.image;
    const lack = lackOf(shown, input.value, holdsSubmit);
    if (lack === null) this.internals.setValidity({});
    else this.internals.setValidity(lack.flags, lack.message, lack.at === 'answer' ? input : view.status);
  }
}
