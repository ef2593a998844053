// Controller of an element: created from its attributes, or shared by a script.

import type { ChallengeController, PausableChallenge } from '../challenge/controller.js';
import { createChallenge } from '../challenge/create-challenge.js';
import { optionsFrom, refusalFrom, startOf } from './attributes.js';

export interface ControllerBinding {
  readonly controller: ChallengeController | null;
  /** Creates a controller from the attributes, or resubscribes to the shared one. */
  open(): void;
  /** Uses a shared controller; the script closes it. */
  share(controller: ChallengeController): void;
  /** Resumes the element's own controller; the first time, after it has read the last error from the attributes. */
  start(): void;
  /** Stops requests of the element's own controller until `start`. */
  pause(): void;
  /** Reads the last error from changed attributes into the element's own controller, once per batch of changes. */
  settle(): void;
  /** Recreates the element's own controller, once per batch of attribute changes. @param onDone called afterwards */
  renew(onDone: () => void): void;
  /** Removes the controller; closes it if it is the element's own. */
  clear(): void;
  /** Call it when the element has left the page: closes its own controller, unsubscribes from a shared one. */
  disconnect(): void;
}

/** @param onChange called after each change of the controller, and when the controller is replaced */
export function createControllerBinding(element: Element, onChange: () => void): ControllerBinding {
  let controller: ChallengeController | null = null;
  /** The element's own controller; null if a shared one is used. */
  let own: PausableChallenge | null = null;
  let isStarted = false;
  let isRenewing = false;
  let mustSettle = false;
  let unsubscribe: (() => void) | undefined;

  function replace(next: ChallengeController | null, nextOwn: PausableChallenge | null = null): void {
    unsubscribe?.();
    own?.close();
    own = nextOwn;
    controller = next;
    unsubscribe = next?.subscribe(onChange);
    onChange();
  }

  /** Starts the work at once only if the start mode is `load`, the element is enabled and no error changes the price. */
  function open(): void {
    if (controller !== null) {
      unsubscribe ??= controller.subscribe(onChange);
      return;
    }
    const options = { ...optionsFrom(element), autoStart: startOf(element) === 'load' };
    isStarted = !element.matches(':disabled') && refusalFrom(element) === null;
    const created = createChallenge(options, !isStarted);
    mustSettle = false;
    replace(created, created);
  }

  return {
    get controller() {
      return controller;
    },
    open,
    share: (next) => replace(next),
    start() {
      const refusal = isStarted ? null : refusalFrom(element);
      isStarted = true;
      if (refusal !== null) void own?.settle(refusal);
      own?.resume();
    },
    pause: () => own?.pause(),
    settle() {
      if (own === null || mustSettle) return;
      mustSettle = true;
      queueMicrotask(() => {
        if (!mustSettle) return;
        mustSettle = false;
        if (isStarted) void own?.settle(refusalFrom(element));
      });
    },
    renew(onDone) {
      if (own === null || isRenewing) return;
      isRenewing = true;
      queueMicrotask(() => {
        isRenewing = false;
        if (own === null) return;
        replace(null);
        open();
        onDone();
      });
    },
    clear: () => replace(null),
    disconnect() {
      unsubscribe?.();
      unsubscribe = undefined;
      if (own !== null) replace(null);
    },
  };
}
