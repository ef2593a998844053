// Notices that a script has sent the challenge fields, without a call of the page: it read them after the person had sent
// the form or pressed a button, and then a request ended.

import { builtIn } from './own-form.js';

/** Requests of scripts, by what the browser calls their initiators. */
const initiators = ['fetch', 'xmlhttprequest', 'beacon'];

/** A press that may send the form by script. */
const pressed = 'button, a, summary, [role=button], input:is([type=button], [type=submit], [type=image])';

/** Browsers round times, some of them to a frame of the screen. */
const ROUNDING_MS = 20;

export interface ScriptSubmissions {
  /** The fields have been read since the person sent the form or pressed a button. */
  readonly isRead: boolean;
  /** A script reads the fields. By itself that says nothing: drafts and dirty checks read them at every key. */
  read(): void;
  /** The person sends the form. */
  submit(): void;
  /** Forgets what was read: the form has other fields now, or none. */
  reset(): void;
}

/** How a script has sent the fields. */
export interface SentByScript {
  /** Whether the response was a success; undefined where the browser does not say. */
  readonly succeeded: boolean | undefined;
  /** Whether a press sent them without a `submit` event, so that the next one cannot be delayed. */
  readonly byPress: boolean;
}

/**
 * @param element its own buttons send nothing
 * @param hasFields whether the form has the challenge fields now
 */
export function watchScriptSubmissions(
  form: HTMLFormElement,
  element: Element,
  hasFields: () => boolean,
  onSent: (sent: SentByScript) => void,
  signal: AbortSignal,
): ScriptSubmissions {
  /** What the person did last that may send the form. */
  let attempt: 'submit' | 'press' | undefined;
  /** When the fields were first read, and first read after the attempt. */
  let readAtMs: number | undefined;
  let sendsAtMs: number | undefined;
  let observer: PerformanceObserver | undefined;

  window.addEventListener('click', onPress, { signal, capture: true });
  window.addEventListener('keydown', onPress, { signal, capture: true });
  // What is read while the person types is a draft, also at an Enter that begins a line: known before any listener reads.
  // A submission stays one.
  builtIn(form).addEventListener(
    'input',
    () => {
      if (attempt === 'press' && sendsAtMs === undefined) attempt = undefined;
    },
    { signal, capture: true },
  );
  builtIn(form).addEventListener('formdata', read, { signal });
  signal.addEventListener('abort', reset);

  function onPress(event: Event): void {
    if (attempt === 'submit' || sendsAtMs !== undefined) return;
    const path = event.composedPath();
    if (path.includes(element)) return;
    const isPress = event.type === 'click' ? path.some(isPressed) : (event as KeyboardEvent).key === 'Enter';
    if (isPress) attempt = 'press';
  }

  function read(): void {
    if (!hasFields()) return;
    const nowMs = performance.now();
    readAtMs ??= nowMs;
    if (attempt !== undefined) sendsAtMs ??= nowMs;
    if (observer !== undefined) return;
    observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) onRequest(entry as PerformanceResourceTiming);
    });
    observer.observe({ type: 'resource' });
  }

  function onRequest({ initiatorType, name, startTime, responseStatus }: PerformanceResourceTiming): void {
    if (!initiators.includes(initiatorType)) return;
    const action = actionOf(form);
    const isAction = action !== undefined && withoutQuery(name) === withoutQuery(action);
    const since = sendsAtMs ?? (isAction ? readAtMs : undefined);
    if (since === undefined || startTime < since - ROUNDING_MS) return;
    // A button of the page, such as one of an editor, has saved a draft: the form itself is sent elsewhere.
    if (attempt === 'press' && action !== undefined && !isAction) {
      attempt = sendsAtMs = undefined;
      return;
    }
    const byPress = attempt === 'press';
    reset();
    onSent({ succeeded: responseStatus ? responseStatus < 400 : undefined, byPress });
  }

  function reset(): void {
    attempt = readAtMs = sendsAtMs = undefined;
    observer?.disconnect();
    observer = undefined;
  }

  return {
    get isRead() {
      return sendsAtMs !== undefined;
    },
    read,
    submit() {
      attempt = 'submit';
    },
    reset,
  };
}

function isPressed(target: EventTarget): boolean {
  return target instanceof Element && Element.prototype.matches.call(target, pressed);
}

/** Where the form is sent to; undefined if only a script knows. Some frameworks set an `action` of `javascript:`. */
function actionOf(form: HTMLFormElement): string | undefined {
  const { hasAttribute, action } = builtIn(form);
  return hasAttribute('action') && action.startsWith('http') ? action : undefined;
}

const withoutQuery = (url: string) => url.replace(/[?#].*/, '');
