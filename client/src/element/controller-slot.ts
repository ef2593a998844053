// Holds the controller of an element: its own, made from the attributes, or one that a script shares with it.

import type { ChallengeController } from '../challenge/controller.js';
import { createChallenge } from '../challenge/create-challenge.js';
import { optionsFrom, refusalFrom } from './attributes.js';

export interface ControllerSlot {
  readonly controller: ChallengeController | null;
  /** Makes one from the attributes, or looks again at the shared one. */
  open(): void;
  /** Puts that of a script in; whoever made it closes it. */
  share(controller: ChallengeController): void;
  /** Lets the own one begin, with what the attributes say of the last refusal; the second call does nothing. */
  start(): void;
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
  let isShared = false;
  let isStarted = false;
  let isRenewing = false;
  let endSubscription: (() => void) | undefined;

  function put(next: ChallengeController | null, shared: boolean): void {
    endSubscription?.();
    if (!isShared) controller?.close();
    controller = next;
    isShared = shared;
    isStarted = shared;
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
    put(createChallenge({ ...optionsFrom(element), autoStart: begins }), false);
    isStarted = begins;
  }

  return {
    get controller() {
      return controller;
    },
    open,
    share: (next) => put(next, true),
    start() {
      if (controller === null || isStarted) return;
      isStarted = true;
      const refusal = refusalFrom(element);
      if (refusal === null) void controller.refresh();
      else void controller.settle(refusal);
    },
    renew(onDone) {
      if (controller === null || isShared || isRenewing) return;
      isRenewing = true;
      queueMicrotask(() => {
        isRenewing = false;
        if (controller === null || isShared) return;
        put(null, false);
        open();
        onDone();
      });
    },
    empty: () => put(null, false),
    leave() {
      endSubscription?.();
      endSubscription = undefined;
      if (!isShared) put(null, false);
    },
  };
}
