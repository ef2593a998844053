// The challenges of a form, in its component.

import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ChallengeOptions } from '../challenge/challenge-options.js';
import { idleState } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import { createMountedChallenge } from './mounted-challenge.js';

/** Those of `createChallenge`; `state.work` says how far the work is, and unmounting ends everything. */
export type UseChallengeOptions = Omit<ChallengeOptions, 'onProgress' | 'signal'>;

/** The functions are the same at every rendering; the object is another one when the state is. */
export interface UsedChallenge extends Omit<ChallengeController, 'isSubmitting' | 'subscribe' | 'close'> {
  /** To hand on, e.g. to a `<tollgate-challenge>` in the form. */
  readonly controller: ChallengeController;
}

const noOptions: UseChallengeOptions = {};

/**
 * The challenges of a form: fetched when the component is mounted, closed when it has gone. Options may be written in
 * place: only other values make everything anew.
 * @param source options, or the controller of another component, which is listened to and not closed
 */
export function useChallenge(source: UseChallengeOptions | ChallengeController = noOptions): UsedChallenge {
  const shared = 'subscribe' in source ? source : null;
  const options = useSteady('subscribe' in source ? noOptions : source);
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
      // What has been typed goes into them without a change of the state.
      get fields() {
        return controller.fields;
      },
    };
  }, [controller, state]);
}

/** The same object as long as the values in it are. */
function useSteady(options: UseChallengeOptions): UseChallengeOptions {
  const { solver, ...plain } = options;
  const values = JSON.stringify(plain);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values stand for the object
  return useMemo(() => options, [values, solver]);
}
