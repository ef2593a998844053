// The element <tollgate-challenge>: adds the challenge fields to its form.

import type { ChallengeStatus } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import { optionAttributes } from './attributes.js';
import { type ControllerBinding, createControllerBinding } from './controller-binding.js';
import { bindForm, type FormBinding, submitImplicitly } from './form-binding.js';
import { FormField } from './form-field.js';
import { createPresenter, type Presenter } from './presenter.js';
import { validate } from './view-model.js';

/**
 * A form-associated element. Events: `statuschange` when `status` has changed, `input` and `change` as on any field.
 * docs/client/element.md lists the attributes, parts and custom properties.
 */
export class TollgateChallenge extends FormField {
  static readonly observedAttributes: readonly string[] = [...optionAttributes, 'hold-submit', 'lang'];

  readonly #binding: ControllerBinding = createControllerBinding(this, () => this.#update());
  readonly #presenter: Presenter;
  /** Follows changes of the page's language. */
  readonly #languageObserver = new MutationObserver(() => this.#update());
  #formBinding: FormBinding | undefined;
  #lastStatus: ChallengeStatus = 'idle';

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

  /** The controller: the element's own, or one that a script shares with it and closes itself. */
  get controller(): ChallengeController | null {
    return this.#binding.controller;
  }

  set controller(controller: ChallengeController | null) {
    if (controller !== null) this.#binding.share(controller);
    else {
      this.#binding.clear();
      if (this.isConnected) this.#begin();
    }
  }

  get status(): ChallengeStatus {
    return this.controller?.status ?? 'idle';
  }

  /** Fetches and solves fresh challenges. Resolves when that has succeeded or failed. */
  async refresh(): Promise<void> {
    await this.controller?.refresh();
  }

  /**
   * Handles the answer to a submission that a script has sent. Fetches fresh challenges, and displays an image if the
   * body has `captcha_required`.
   * @param body the parsed body of a refusal; null after a success
   * @returns whether to send the form again at once with better work (`pow_insufficient`)
   */
  async settle(body: unknown): Promise<boolean> {
    return (await this.controller?.settle(body)) ?? false;
  }

  connectedCallback(): void {
    this.#readEarlyController();
    this.#begin();
    this.#bind();
    this.#languageObserver.observe(document.documentElement, { attributeFilter: ['lang'] });
  }

  disconnectedCallback(): void {
    // A move within the page disconnects and reconnects the element: the work goes on.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#languageObserver.disconnect();
      this.#presenter.stop();
      this.#formBinding?.release();
      this.#formBinding = undefined;
      this.#binding.disconnect();
    });
  }

  attributeChangedCallback(name: string): void {
    if (name === 'lang' || name === 'hold-submit') this.#update();
    else this.#binding.renew(() => this.#begin());
  }

  formAssociatedCallback(): void {
    this.#bind();
  }

  formDisabledCallback(): void {
    if (this.isConnected) this.#begin();
  }

  formResetCallback(): void {
    this.#presenter.view.image.clear();
    this.controller?.setAnswer('');
    this.#update();
  }

  /** Restores nothing: the typed answer belonged to an image that is gone. */
  formStateRestoreCallback(): void {
    this.formResetCallback();
  }

  /** Disabled by its own attribute or by a fieldset. */
  get #isDisabled(): boolean {
    return this.matches(':disabled');
  }

  #begin(): void {
    this.#binding.open();
    if (this.#isDisabled) this.#binding.pause();
    else this.#binding.start();
    this.#update();
  }

  /** A property that was set before the element was defined hides the accessor of the class. */
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
    // The fields have changed without a change of the state.
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

  #bind(): void {
    this.#formBinding?.release();
    this.#formBinding = undefined;
    const { form } = this;
    if (form === null || !this.isConnected) return;
    this.#formBinding = bindForm(form, {
      isReady: () => this.#isDisabled || this.status === 'ready',
      isSubmitting: () => this.controller?.isSubmitting === true,
      onTouch: () => this.#touch(),
      onDelayed: () => this.#presenter.announce('delayed'),
      onSpent: () => this.settle(null),
    });
    this.#update();
  }

  #update(): void {
    const holdsSubmit = this.hasAttribute('hold-submit');
    this.#presenter.present(this.controller?.state ?? null, this.#isDisabled);
    this.#fillForm(holdsSubmit);
    this.#formBinding?.update(!this.#isDisabled && !holdsSubmit && this.status !== 'ready');
    if (this.status === 'error') this.#formBinding?.drop();
    if (this.status === this.#lastStatus) return;
    this.#lastStatus = this.status;
    this.dispatchEvent(new Event('statuschange'));
  }

  #fillForm(holdsSubmit: boolean): void {
    const { view, model } = this.#presenter;
    const fields = Object.entries(this.controller?.fields ?? {});
    const data = new FormData();
    for (const [name, value] of fields) data.set(name, value);
    // Without a state, because a browser that restores the form would keep the tokens.
    this.internals.setFormValue(fields.length === 0 ? null : data, null);
    const { input } = view.image;
    const invalid = validate(model, input.value, holdsSubmit);
    if (invalid === null) this.internals.setValidity({});
    else {
      const anchor = invalid.anchor === 'answer' ? input : view.status;
      this.internals.setValidity(invalid.flags, invalid.message, anchor);
    }
  }
}
