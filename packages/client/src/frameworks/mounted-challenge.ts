// Challenges of a component: created on mount, closed on unmount.

import type { ChallengeOptions } from '../challenge/challenge-options.js';
import { idleState } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import { createChallenge } from '../challenge/create-challenge.js';
import { createListeners } from '../listeners.js';

/** Options of `createChallenge`, except two: `state.work` reports the progress, and unmounting closes everything. */
export type UseChallengeOptions = Omit<ChallengeOptions, 'onProgress' | 'signal'>;

const noFields = Object.freeze({});

interface MountedChallenge {
  /** The same object for the whole life of the component; idle while it is not mounted. */
  readonly controller: ChallengeController;
  /** Call it in an effect. Changed options recreate everything. @returns the effect's cleanup */
  mount(options: ChallengeOptions): () => void;
}

export function createMountedChallenge(): MountedChallenge {
  const listeners = createListeners<[]>();
  let current: { readonly options: ChallengeOptions; readonly controller: ChallengeController } | null = null;
  let isMounted = false;

  function replace(options: ChallengeOptions | null): void {
    current?.controller.close();
    current = options === null ? null : { options, controller: createChallenge(options) };
    current?.controller.subscribe(listeners.notify);
    listeners.notify();
  }

  function required(): ChallengeController {
    if (current === null) throw new DOMException('The component is not mounted.', 'AbortError');
    return current.controller;
  }

  return {
    controller: {
      get status() {
        return this.state.status;
      },
      get state() {
        return current?.controller.state ?? idleState;
      },
      get fields() {
        return current?.controller.fields ?? noFields;
      },
      get isSubmitting() {
        return current?.controller.isSubmitting === true;
      },
      subscribe: listeners.add,
      refresh: async () => current?.controller.refresh(),
      touch: () => current?.controller.touch(),
      setAnswer: (text) => current?.controller.setAnswer(text),
      newImage: async () => current?.controller.newImage(),
      chooseAlternative: async (name) => current?.controller.chooseAlternative(name),
      take: async () => required().take(),
      settle: async (body) => (await current?.controller.settle(body)) ?? false,
      submit: async (send) => required().submit(send),
      close: () => current?.controller.close(),
    },
    mount(options) {
      isMounted = true;
      if (current?.options !== options) replace(options);
      return () => {
        isMounted = false;
        // Strict Mode ends an effect and restarts it at once: the work continues.
        queueMicrotask(() => {
          if (!isMounted) replace(null);
        });
      };
    },
  };
}
