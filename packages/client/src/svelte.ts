// Svelte stores for session and challenges, and template types of the form element.

import { onMount } from 'svelte';
import { type ChallengeState, idleState } from './challenge/challenge-state.js';
import type { ChallengeController } from './challenge/controller.js';
import { type Follow, followChallenge, followSession } from './frameworks/follow.js';
import type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
import { createListeners } from './listeners.js';
import type { Session } from './session/session-options.js';
import { type SessionState, unknownState } from './session/session-state.js';

export type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
export type { TollgateChallengeAttributes } from './types/svelte.js';

/** A readable store: `$name` in a component. */
export interface StateStore<State> {
  subscribe(run: (state: State) => void): () => void;
}

/** Its state is the store's. */
export interface UsedChallenge extends StateStore<ChallengeState> {
  /** For the element, and to submit the form. */
  readonly controller: ChallengeController;
}

/** Returns the session state: `unknown` until the component is mounted. @param session null on a server */
export function useSession(session: Session | null): StateStore<SessionState> {
  return storeOf(unknownState, followSession(session));
}

/**
 * Fetches a form's challenges when the component is mounted and closes them when it is unmounted.
 * @param source options, or another component's controller, which stays open
 */
export function useChallenge(source?: UseChallengeOptions | ChallengeController): UsedChallenge {
  const { controller, follow } = followChallenge(source);
  return { ...storeOf(idleState, follow), controller };
}

function storeOf<State>(initial: State, follow: Follow<State>): StateStore<State> {
  const listeners = createListeners<[State]>();
  let state = initial;
  onMount(() =>
    follow((next) => {
      state = next;
      listeners.notify(next);
    }),
  );
  return {
    subscribe(run) {
      run(state);
      return listeners.add(run);
    },
  };
}
