// Element <tollgate-challenge>: adds the challenge fields to its form.

import type { ChallengeStatus } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import { optionAttributes, refusalAttributes, refusalFrom } from './attributes.js';
import { createAutoRetry } from './auto-retry.js';
import { type ControllerBinding, createControllerBinding } from './controller-binding.js';
import { createEventDispatcher } from './events.js';
import { bindForm, type FormBinding, type FormUse, submitImplicitly } from './form/form-binding.js';
import { FormField } from './form/form-field.js';
import { fillForm } from './form/form-values.js';
import { createHiddenFields } from './form/hidden-fields.js';
import type { Texts } from './languages.js';
import { readTexts } from './own-texts.js';
import { createReadiness } from './readiness.js';
import { createPresenter, type Presenter } from './view/presenter.js';

const ownAttributes = ['hold-submit', 'lang', 'display', 'texts'] as const;

/**
 * Form-associated element. Events: `statuschange` after a change of `status`, those of `TollgateEventMap`, and `input` and
 * `change` like any field. docs/client/element.md lists the attributes, parts and custom properties.
 */
export class TollgateChallenge extends FormField {
  static readonly observedAttributes: readonly string[] = [
    ...optionAttributes,
    ...refusalAttributes,
    ...ownAttributes,
  ];

  readonly #binding: ControllerBinding = createControllerBinding(this, () => this.#update());
  readonly #presenter: Presenter;
  readonly #autoRetry = createAutoRetry(() => this.refresh());
  readonly #events = createEventDispatcher(this);
  readonly #hiddenFields = createHiddenFields(this, this.internals, () => this.#formBinding?.read());
  #formBinding: FormBinding | undefined;
  #lastStatus: ChallengeStatus = 'idle';
  readonly #readiness = createReadiness(this);
  #texts: Partial<Texts> = {};

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    const events = {
      onRetry: () => this.refresh(),
      onLoaded: () => this.#update(),
      onAnswer: (text: string) => this.#answer(text),
      onCommit: () => this.dispatchEvent(new Event('change', { bubbles: true })),
      onNewImage: () => this.controller?.newImage(),
      onEnter: () => this.form !== null && submitImplicitly(this.form),
      onChoose: (name: 'effort' | 'image') => this.#choose(name),
    };
    this.#presenter = createPresenter(
      this,
      () => this.#texts,
      root,
      events,
      () => this.#update(),
    );
    const onUse = () => this.#touch('focus');
    for (const name of ['focusin', 'input', 'pointerdown']) this.addEventListener(name, onUse);
  }

  /** Controller: the element's own, or one shared by a script, which closes it. */
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

  /** Texts by name, which replace those of the language; the attribute `texts` contains the same as JSON. */
  get texts(): Partial<Texts> {
    return this.#texts;
  }

  /** Frameworks set attribute text as a property, so JSON is accepted here too. */
  set texts(texts: Partial<Texts> | string | null | undefined) {
    this.#texts = readTexts(texts);
    this.#update();
  }

  /** Fetches and solves new challenges. Resolves on success and on failure. */
  async refresh(): Promise<void> {
    await this.controller?.refresh();
  }

  /**
   * Processes the response to a submission by a script. Fetches new challenges, and displays an image if the body has
   * `captcha_required`.
   * @param body parsed body of an error response; null after a success
   * @returns whether to send the form again at once with harder work (`pow_insufficient`)
   */
  async settle(body: unknown): Promise<boolean> {
    return (await this.controller?.settle(body)) ?? false;
  }

  override focus(options?: FocusOptions): void {
    this.#presenter.reveal();
    super.focus(options);
  }

  connectedCallback(): void {
    this.restoreProperties(['texts', 'controller']);
    this.#begin();
    this.#bind();
    this.#presenter.start();
  }

  disconnectedCallback(): void {
    // A move within the page disconnects and reconnects the element: the work continues.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#presenter.stop();
      this.#autoRetry.stop();
      this.#formBinding?.release();
      this.#formBinding = undefined;
      this.#hiddenFields.write(null, {});
      this.#hiddenFields.stop();
      this.#binding.disconnect();
    });
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (name === 'texts') this.texts = now;
    else if ((ownAttributes as readonly string[]).includes(name)) this.#update();
    else if ((refusalAttributes as readonly string[]).includes(name)) {
      if (now !== before) this.#binding.settle();
    } else this.#binding.renew(() => this.#begin());
  }

  formAssociatedCallback(): void {
    this.#bind();
  }

  formDisabledCallback(): void {
    if (this.isConnected) this.#begin();
  }

  override formResetCallback(): void {
    this.#formBinding?.drop();
    this.#presenter.view.image?.clear();
    this.controller?.setAnswer('');
    this.#update();
  }

  get #isDisabled(): boolean {
    return this.matches(':disabled');
  }

  #begin(): void {
    this.#readiness.reset();
    this.#binding.open();
    if (this.#isDisabled) this.#binding.pause();
    else this.#binding.start();
    this.#update();
  }

  #touch(use: FormUse): void {
    if (!this.#isDisabled && this.#readiness.beginsOn(use)) this.controller?.touch();
  }

  #answer(text: string): void {
    this.controller?.setAnswer(text);
    // The fields change without a state change.
    this.#update();
  }

  #choose(name: 'effort' | 'image'): void {
    this.#presenter.choose(name);
    void this.controller?.chooseAlternative(name);
    this.#update();
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }

  #bind(): void {
    const form = this.isConnected ? this.form : null;
    // A move within the form keeps a delayed submission.
    if (this.#formBinding?.isTo(form)) return;
    this.#formBinding?.release();
    this.#formBinding = form === null ? undefined : this.#bindTo(form);
    this.#update();
  }

  #bindTo(form: HTMLFormElement): FormBinding {
    return bindForm(form, this, {
      isReady: () => this.#isDisabled || this.status === 'ready',
      isSubmitting: () => this.controller?.isSubmitting === true,
      onTouch: (use) => this.#touch(use),
      onDelayed: () => this.#update(),
      onSpent: (succeeded) => this.#renew(succeeded),
    });
  }

  /**
   * Renews the challenges after a submission with an unreported response: requirements stay, unless it succeeded. A
   * framework's action also succeeds when it renders a refusal into the attributes, which may be the same as before.
   */
  #renew(succeeded: boolean | undefined): void {
    if (succeeded) void this.settle(refusalFrom(this));
    else {
      void this.refresh();
      this.controller?.touch();
    }
  }

  #update(): void {
    const state = this.controller?.state ?? null;
    const { status } = this;
    const isDisabled = this.#isDisabled;
    const { holdsSubmit } = this.#readiness.update(status);
    this.#presenter.present(state, isDisabled, this.#formBinding);
    const isComplete = fillForm(this.internals, this.#hiddenFields, this.#presenter, {
      form: this.isConnected ? this.form : null,
      fields: isDisabled ? {} : (this.controller?.fields ?? {}),
      holdsSubmit,
    });
    this.#formBinding?.update(!isDisabled && !holdsSubmit && status !== 'ready');
    if (status === 'error') this.#formBinding?.drop();
    this.#autoRetry.update(isDisabled ? null : state);
    if (state !== null) this.#events.update(state, isComplete);
    if (status === this.#lastStatus) return;
    this.#lastStatus = status;
    this.dispatchEvent(new Event('statuschange'));
  }
}
