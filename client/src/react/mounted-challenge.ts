// The challenges of a component: made when it is mounted, closed when it has gone.

import type { ChallengeOptions } from '../challenge/challenge-options.js';
import { idleState } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import { createChallenge } from '../challenge/create-challenge.js';
import { createListeners } from '../listeners.js';

const noFields = Object.freeze({});

export interface MountedChallenge {
  /** The same one for the whole life of the component; while that is not mounted it is idle. */
  readonly controller: ChallengeController;
  /** For an effect. Other options make everything anew. @returns ends it */
  mount(options: ChallengeOptions): () => void;
}

export function createMountedChallenge(): MountedChallenge {
  const listeners = createListeners<[]>();
  let made: { readonly options: ChallengeOptions; readonly controller: ChallengeController } | null = null;
  let isMounted = false;

  function replace(options: ChallengeOptions | null): void {
    made?.controller.close();
    made = options === null ? null : { options, controller: createChallenge(options) };
    made?.controller.subscribe(listeners.notify);
    listeners.notify();
  }

  function required(): ChallengeController {
    if (made === null) throw new DOMException('The component is not mounted.', 'AbortError');
    return made.controller;
  }

  return {
    controller: {
      get status() {
        return this.state.status;
      },
      get state() {
        return made?.controller.state ?? idleState;
      },
      get fields() {
        return made?.controller.fields ?? noFields;
      },
      get isSubmitting() {
        return made?.controller.isSubmitting === true;
      },
      subscribe: listeners.add,
      refresh: async () => made?.controller.refresh(),
      touch: () => made?.controller.touch(),
      setAnswer: (text) => made?.controller.setAnswer(text),
      newImage: async () => made?.controller.newImage(),
      chooseAlternative: async (name) => made?.controller.chooseAlternative(name),
      take: async () => required().take(),
      settle: async (body) => (await made?.controller.settle(body)) ?? false,
      submit: async (send) => required().submit(send),
      close: () => made?.controller.close(),
    },
    mount(options) {
      isMounted = true;
      if (made?.options !== options) replace(options);
      return () => {
        isMounted = false;
        // In Strict Mode an effect ends and begins again at once: the work goes on.
        queueMicrotask(() => {
          if (!isMounted) replace(null);
        });
      };
    },
  };
}
