// Detects that a script has sent the challenge fields without telling the element: it read them after a submission or
// button press, and then a request ended.

import { builtIn } from './own-form.js';

/** Initiator types of script requests. */
const initiators = ['fetch', 'xmlhttprequest', 'beacon'];

/** A press that may send the form by script. */
const pressed = 'button, a, summary, [role=button], input:is([type=button], [type=submit], [type=image])';

/** Browsers round times, some to a screen frame. */
const ROUNDING_MS = 20;

interface ScriptSubmissions {
  /** Whether the fields have been read since the last submission or button press. */
  readonly isRead: boolean;
  /** Records that a script reads the fields. That alone proves nothing: drafts and dirty checks read them at every key. */
  read(): void;
  /** Records a submission by the person. */
  submit(): void;
  /** Forgets all reads: the form has new fields or none. */
  reset(): void;
}

/** Submission by a script. */
export interface SentByScript {
  /** Whether the response was a success; undefined if the browser does not report it. */
  readonly succeeded: boolean | undefined;
  /** Whether a press sent them without a `submit` event: then the next submission cannot be delayed. */
  readonly byPress: boolean;
}

/**
 * @param element its own buttons do not submit
 * @param hasFields whether the form has the challenge fields
 */
export function watchScriptSubmissions(
  form: HTMLFormElement,
  element: Element,
  hasFields: () => boolean,
  onSent: (sent: SentByScript) => void,
  signal: AbortSignal,
): ScriptSubmissions {
  /** Last user action that may send the form. */
  let attempt: 'submit' | 'press' | undefined;
  /** Times of the first read, and of the first read after the attempt. */
  let readAtMs: number | undefined;
  let sendsAtMs: number | undefined;
  let observer: PerformanceObserver | undefined;

  window.addEventListener('click', onPress, { signal, capture: true });
  window.addEventListener('keydown', onPress, { signal, capture: true });
  // Reads during typing belong to a draft, also after an Enter that begins a line. Captured, to run before any listener that
  // reads. A submission is not reset.
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
    // Another button, such as one of an editor, has saved a draft: the form itself is sent to another URL.
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

/** Returns the form's URL; undefined if only a script knows it. Some frameworks set an `action` of `javascript:`. */
function actionOf(form: HTMLFormElement): string | undefined {
  const { hasAttribute, action } = builtIn(form);
  return hasAttribute('action') && action.startsWith('http') ? action : undefined;
}

const withoutQuery = (url: string) => url.replace(/[?#].*/, '');
