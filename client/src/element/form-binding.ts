// What ties the element to its form: too early submissions are held, and the person's doings are noticed.

import { holdSubmitButtons, submittersOf } from './submit-buttons.js';

/** How the element stands when the form is about to be sent. */
export interface FormSide {
  /** Whether the fields of the form are complete; also true while the element is switched off. */
  isReady(): boolean;
  /** Whether a script has yet to hear the answer to a submission. */
  isSubmitting(): boolean;
  /** The person is at the form. */
  onTouch(): void;
  /** A submission was too early; it is sent when `ready` is called. */
  onHeld(): void;
  /** The form was sent by the browser, and its fields with it, and yet the page is still there. */
  onSpent(): void;
}

export interface FormWiring {
  /** To be called at each change. @param holdsButtons whether the submit buttons are to be disabled now */
  update(holdsButtons: boolean): void;
  /** Nothing will become ready: a held submission is dropped. */
  drop(): void;
  /** Unties the element from the form. */
  release(): void;
}

/** Signs of a person at the form; only the first ones show that the page goes on after it was sent. */
const deeds = ['input', 'keydown', 'pointerdown'] as const;
const signs = ['focusin', 'pointerover'] as const;

export function wireForm(form: HTMLFormElement, side: FormSide): FormWiring {
  const buttons = holdSubmitButtons(form);
  const ends = new AbortController();
  const { signal } = ends;
  /** The button of the submission that waits; null when it had none. */
  let held: { readonly submitter: HTMLElement | null } | undefined;
  let isSpent = false;
  /** The button of the newest submission, until the next press that is not the rest of a double-click. */
  let pressed: HTMLElement | null = null;

  for (const name of deeds) form.addEventListener(name, onDeed, { signal, passive: true });
  for (const name of signs) form.addEventListener(name, onSign, { signal, passive: true });
  window.addEventListener('focus', onSign, { signal });
  // Some of the buttons may be outside of the form, none is in another tree.
  form.getRootNode().addEventListener('click', onClick, { signal, capture: true });
  // Captured on the form itself, so that no listener of the page sees a submission that does not go.
  form.addEventListener('submit', onSubmit, { signal, capture: true });
  // From the back/forward cache: the controller fetches fresh challenges by itself.
  window.addEventListener(
    'pageshow',
    () => {
      isSpent = false;
      held = undefined;
    },
    { signal },
  );

  function onDeed(): void {
    if (isSpent) {
      isSpent = false;
      side.onSpent();
    } else side.onTouch();
  }

  function onSign(): void {
    if (!isSpent) side.onTouch();
  }

  /** A double-click is one press to whoever makes it. */
  function onClick(event: Event): void {
    if ((event as MouseEvent).detail < 2) pressed = null;
    else if (pressed?.contains(event.target as Node)) event.preventDefault();
  }

  function onSubmit(event: SubmitEvent): void {
    const submitter = event.submitter;
    if (!isChecked(form, submitter)) return;
    pressed = submitter;
    // A second press before the first answer is there: the fields are spent already.
    if (isSpent) onDeed();
    if (side.isReady()) {
      held = undefined;
      // After every listener of the page has had its say. A page that sends the form itself calls `settle`.
      setTimeout(() => {
        isSpent = !event.defaultPrevented;
        if (isSpent && goesElsewhere(form, submitter)) onDeed();
      });
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    side.onTouch();
    // A script that is sending sends all that there is: this one would follow the answer, when nobody expects it.
    if (side.isSubmitting()) return;
    held = { submitter };
    side.onHeld();
  }

  function sendHeld(): void {
    if (held === undefined || !side.isReady()) return;
    const { submitter } = held;
    held = undefined;
    form.requestSubmit(submitter !== null && isButtonOf(form, submitter) ? submitter : null);
  }

  return {
    update(holdsButtons) {
      buttons.hold(holdsButtons);
      // Not within the notice of a change: the page's listeners shall find everything in its place.
      if (held !== undefined && side.isReady()) queueMicrotask(sendHeld);
    },
    drop() {
      held = undefined;
    },
    release() {
      ends.abort();
      buttons.release();
    },
  };
}

/** Whether this submission sends fields to be checked: not the closing of a dialog, nor a button like “save as draft”. */
function isChecked(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  const button = submitter as HTMLButtonElement | null;
  const method = button?.getAttribute('formmethod') ?? form.method;
  return method.toLowerCase() !== 'dialog' && button?.formNoValidate !== true;
}

/** Whether the answer goes elsewhere, so that this page stays as it is. */
function goesElsewhere(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  const target = submitter?.getAttribute('formtarget') ?? form.target;
  return !['', '_self', '_top', '_parent'].includes(target.toLowerCase());
}

function isButtonOf(form: HTMLFormElement, submitter: HTMLElement): boolean {
  return submitter.isConnected && (submitter as HTMLButtonElement).form === form;
}

/** Sends a form as Enter in a text field does: through its first button, and not at all while that is disabled. */
export function submitImplicitly(form: HTMLFormElement): void {
  const [first] = submittersOf(form);
  if (first === undefined) form.requestSubmit();
  else if (!first.matches(':disabled')) first.click();
}
