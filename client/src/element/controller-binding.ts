// Holds the controller of an element: its own, made from the attributes, or one that a script shares with it.

import type { ChallengeController, PausableChallenge } from '../challenge/controller.js';
import { createChallenge } from '../challenge/create-challenge.js';
import { optionsFrom, refusalFrom } from './attributes.js';

export interface ControllerSlot {
  readonly controller: ChallengeController | null;
  /** Makes one from the attributes, or looks again at the shared one. */
  open(): void;
  /** Puts that of a script in; whoever made it closes it. */
  share(controller: ChallengeController): void;
  /** Lets the own one go on; the first time with what the attributes say of the last refusal. */
  start(): void;
  /** Has the own one ask for nothing until `start`. */
  pause(): void;
  /** Makes the own one anew, after the attributes that change together have changed. @param onDone it is there */
  renew(onDone: () => void): void;
  /** Takes out what is in there; the own one is closed. */
  empty(): void;
  /** The element has left the page: closes the own one, keeps a shared one without looking at it. */
  leave(): void;
}

/** @param onChange called after each change of the controller, and when another one is put in */
export function createControllerSlot(element: Element, onChange: () => void): ControllerSlot {
  let controller: ChallengeController | null = null;
  /** The same, unless it is shared. */
  let own: PausableChallenge | null = null;
  let isStarted = false;
  let isRenewing = false;
  let endSubscription: (() => void) | undefined;

  function put(next: ChallengeController | null, nextOwn: PausableChallenge | null = null): void {
    endSubscription?.();
    own?.close();
    own = nextOwn;
    controller = next;
    endSubscription = next?.subscribe(onChange);
    onChange();
  }

  /** Work that is still to be priced for the last refusal, or is not wanted yet, does not begin by itself. */
  function open(): void {
    if (controller !== null) {
      endSubscription ??= controller.subscribe(onChange);
      return;
    }
    const begins = !element.matches(':disabled') && refusalFrom(element) === null;
    const made = createChallenge({ ...optionsFrom(element), autoStart: begins });
    isStarted = begins;
    put(made, made);
  }

  return {
    get controller() {
      return controller;
    },
    open,
    share: (next) => put(next),
    start() {
      const refusal = isStarted ? null : refusalFrom(element);
      isStarted = true;
      if (refusal !== null) void own?.settle(refusal);
      own?.resume();
    },
    pause: () => own?.pause(),
    renew(onDone) {
      if (own === null || isRenewing) return;
      isRenewing = true;
      queueMicrotask(() => {
        isRenewing = false;
        if (own === null) return;
        put(null);
        open();
        onDone();
      });
    },
    empty: () => put(null),
    leave() {
      endSubscription?.();
      endSubscription = undefined;
      if (own !== null) put(null);
    },
  };
}
