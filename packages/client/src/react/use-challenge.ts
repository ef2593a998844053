// Hook for the challenges of a form.

import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { idleState } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import { createMountedChallenge, type UseChallengeOptions } from '../frameworks/mounted-challenge.js';

/** The functions are the same on every render; the object changes with the state. */
export interface UsedChallenge extends Omit<ChallengeController, 'isSubmitting' | 'subscribe' | 'close'> {
  /** The controller, e.g. for a `<tollgate-challenge>` in the form. */
  readonly controller: ChallengeController;
}

const noOptions: UseChallengeOptions = {};

/**
 * Fetches a form's challenges on mount and closes them on unmount. Options can be an inline object: only changed values
 * recreate the challenges.
 * @param source options, or another component's controller, which the hook subscribes to but does not close
 */
export function useChallenge(source: UseChallengeOptions | ChallengeController = noOptions): UsedChallenge {
  const shared = 'subscribe' in source ? source : null;
  const options = useStable('subscribe' in source ? noOptions : source);
  const [own] = useState(createMountedChallenge);
  useEffect(() => (shared === null ? own.mount(options) : undefined), [own, shared, options]);

  const controller = shared ?? own.controller;
  const state = useSyncExternalStore(
    controller.subscribe,
    () => controller.state,
    () => idleState,
  );
  return useMemo(() => {
    const {
      isSubmitting: _isSubmitting,
      subscribe: _subscribe,
      close: _close,
      fields: _fields,
      ...rest
    } = controller;
    return {
      ...rest,
      controller,
      state,
      status: state.status,
      // A getter, because typing changes the fields without a state change.
      get fields() {
        return controller.fields;
      },
    };
  }, [controller, state]);
}

/** Returns the same object until one of its values changes. */
function useStable(options: UseChallengeOptions): UseChallengeOptions {
  const { solver, ...plain } = options;
  // The JSON of `Headers` is an empty object.
  const values = JSON.stringify(plain, (_key, value) => (value instanceof Headers ? [...value] : value));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values identify the object
  return useMemo(() => options, [values, solver]);
}
