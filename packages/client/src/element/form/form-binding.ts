// Binds the element to its form: delays early submissions and reports user activity.

import { loadWarnings } from '../load-warnings.js';
import { builtIn } from './own-form.js';
import { type SentByScript, watchScriptSubmissions } from './script-submissions.js';
import { controlSubmitButtons, submittersOf } from './submit-buttons.js';

/** Kind of use: pointer over the form, focus or input, submission. */
export type FormUse = 'presence' | 'focus' | 'submission';

/** Dependencies of the binding on the element. */
interface FormBindingDeps {
  /** Whether the challenge fields are complete; also true while the element is disabled. */
  isReady(): boolean;
  /** Whether a script still waits for the response to a submission. */
  isSubmitting(): boolean;
  /** The person uses the form. */
  onTouch(use: FormUse): void;
  /** An early submission is delayed until the element is ready. */
  onDelayed(): void;
  /**
   * The form has been sent with its fields, but the page is still there and in use.
   * @param succeeded whether the server accepted them; undefined where that is unknown
   */
  onSpent(succeeded: boolean | undefined): void;
}

export interface FormBinding {
  /** Delayed submission; undefined if there is none. */
  readonly delayed: { readonly submitter: HTMLElement | null } | undefined;
  /** Submit button: of the delayed submission, or the first one; null if there is none. */
  readonly button: HTMLElement | null;
  /** Call it after each change. @param disablesButtons whether the submit buttons are disabled now */
  update(disablesButtons: boolean): void;
  /** Drops a delayed submission: the element has failed, or the form was reset. */
  drop(): void;
  /** Whether it is the binding to this form, in the form's tree of now. */
  isTo(form: HTMLFormElement | null): boolean;
  /** Call it when a script reads the fields. */
  read(): void;
  /** Removes the binding. */
  release(): void;
}

/** Events of a person who uses the form. */
const inputEvents = ['input', 'keydown', 'pointerdown'] as const;
const presenceEvents = ['pointerover'] as const;

/** How long presses are dropped after the browser has sent the form: the response is in flight. */
const RESPONSE_MS = 10_000;

/**
 * A sent submission: the browser waits for the next page, or a script has its response.
 */
type Sent =
  | { readonly by: 'browser'; readonly atMs: number }
  | { readonly by: 'script'; readonly succeeded: boolean | undefined };

/** @param element should be the form's only one */
export function bindForm(form: HTMLFormElement, element: Element, deps: FormBindingDeps): FormBinding {
  warnOfOthers(form, element);
  const buttons = controlSubmitButtons(form);
  const own = builtIn(form);
  const releasing = new AbortController();
  const { signal } = releasing;
  /** Delayed submission and its button; null if it has none. */
  let delayed: { readonly submitter: HTMLElement | null } | undefined;
  let sent: Sent | undefined;
  /** Button of the last submission, until the next press outside of a double-click. */
  let pressed: HTMLElement | null = null;
  const scripts = watchScriptSubmissions(form, element, deps.isReady, onScript, signal);

  for (const name of inputEvents) own.addEventListener(name, onInput, { signal, passive: true });
  own.addEventListener('focusin', () => onUse('focus'), { signal, passive: true });
  for (const name of presenceEvents) own.addEventListener(name, onPresence, { signal, passive: true });
  window.addEventListener('focus', onPresence, { signal });
  // Buttons may be outside of the form, but not in another tree.
  const tree = own.getRootNode();
  tree.addEventListener('click', onClick, { signal, capture: true });
  // Captured on the form, so that no page listener sees a delayed submission.
  own.addEventListener('submit', onSubmit, { signal, capture: true });
  // After the back/forward cache the controller fetches new challenges itself. The first `pageshow` follows `load`, when
  // the form may have been in use for long.
  window.addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (persisted) sent = delayed = undefined;
    },
    { signal },
  );

  function onInput({ type }: Event): void {
    // Typing means that the person no longer waits for the response; another press means that they do.
    if (sent?.by === 'browser' && (type === 'input' || !isAwaited(sent))) renew();
    else onUse('focus');
  }

  function onPresence(): void {
    onUse('presence');
  }

  function onUse(use: FormUse): void {
    if (sent === undefined) deps.onTouch(use);
    else if (sent.by === 'script') renew();
  }

  function onScript({ succeeded, byPress }: SentByScript): void {
    sent = { by: 'script', succeeded };
    if (byPress) renew();
  }

  /** Requests new fields to replace the sent ones. */
  function renew(): void {
    const succeeded = sent?.by === 'browser' || (sent === undefined ? undefined : sent.succeeded);
    sent = undefined;
    scripts.reset();
    deps.onSpent(succeeded);
  }

  /** Counts a double-click as one press. */
  function onClick(event: Event): void {
    if ((event as MouseEvent).detail < 2) pressed = null;
    else if (pressed?.contains(event.target as Node)) event.preventDefault();
  }

  function onSubmit(event: SubmitEvent): void {
    const submitter = event.submitter;
    if (!isChecked(form, submitter)) return;
    pressed = submitter;
    // A press while a script still sends the form would send it a second time.
    if ((sent?.by === 'browser' && isAwaited(sent)) || deps.isSubmitting()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    // The fields that a script has read for the last submission may be in flight.
    if (sent !== undefined || scripts.isRead) renew();
    scripts.submit();
    if (deps.isReady()) {
      delayed = undefined;
      // Checked after all page listeners have run.
      setTimeout(() => {
        if (event.defaultPrevented) return;
        scripts.reset();
        sent = { by: 'browser', atMs: performance.now() };
        if (opensElsewhere(form, submitter)) renew();
      });
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    deps.onTouch('submission');
    delayed = { submitter };
    deps.onDelayed();
  }

  /** The sent fields are gone, for example because a script has reported the response. */
  function forget(): void {
    scripts.reset();
    if (sent?.by === 'script') sent = undefined;
  }

  function sendDelayed(): void {
    if (delayed === undefined || !deps.isReady()) return;
    const { submitter } = delayed;
    delayed = undefined;
    own.requestSubmit(submitter !== null && isButtonOf(form, submitter) ? submitter : null);
  }

  return {
    get delayed() {
      return delayed;
    },
    get button() {
      return delayed?.submitter ?? submittersOf(form)[0] ?? null;
    },
    update(disablesButtons) {
      buttons.disable(disablesButtons);
      if (!deps.isReady()) forget();
      // Not during the notification of a change, so that the page's listeners find a consistent state.
      if (delayed !== undefined && deps.isReady()) queueMicrotask(sendDelayed);
    },
    drop() {
      delayed = undefined;
    },
    isTo: (other) => other === form && own.getRootNode() === tree,
    read: scripts.read,
    release() {
      releasing.abort();
      buttons.release();
    },
  };
}

/** Whether the response to the browser's submission may still arrive. */
function isAwaited({ atMs }: { readonly atMs: number }): boolean {
  return performance.now() - atMs < RESPONSE_MS;
}

const warnedForms = new WeakSet<HTMLFormElement>();

/** Two elements would write the same fields: the server reads one of each name. */
function warnOfOthers(form: HTMLFormElement, element: Element): void {
  const elements = [...builtIn(form).elements].filter(({ localName }) => localName === element.localName);
  if (elements.length < 2 || warnedForms.has(form)) return;
  warnedForms.add(form);
  loadWarnings(({ warnOfElements }) => warnOfElements(form, elements.length));
}

/** Whether this submission requires the fields: not if it closes a dialog or saves a draft (`formnovalidate`). */
function isChecked(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  const button = submitter as HTMLButtonElement | null;
  const method = button?.getAttribute('formmethod') ?? builtIn(form).method;
  return method.toLowerCase() !== 'dialog' && button?.formNoValidate !== true;
}

/** Whether the response opens in another window or frame, so that this page stays. */
function opensElsewhere(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  const target = submitter?.getAttribute('formtarget') ?? builtIn(form).target;
  return !['', '_self', '_top', '_parent'].includes(target.toLowerCase());
}

function isButtonOf(form: HTMLFormElement, submitter: HTMLElement): boolean {
  return submitter.isConnected && (submitter as HTMLButtonElement).form === form;
}

/** Submits a form like Enter in a text field: with its first button, unless it is disabled. */
export function submitImplicitly(form: HTMLFormElement): void {
  const [first] = submittersOf(form);
  if (first === undefined) builtIn(form).requestSubmit();
  else if (!first.matches(':disabled')) first.click();
}
