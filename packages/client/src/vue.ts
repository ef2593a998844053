// Vue composables for session and challenges, and template types of the form element.

import { onMounted, onUnmounted, type ShallowRef, shallowRef } from 'vue';
import { type ChallengeState, idleState } from './challenge/challenge-state.js';
import type { ChallengeController } from './challenge/controller.js';
import { type Follow, followChallenge, followSession } from './frameworks/follow.js';
import type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
import type { Session } from './session/session-options.js';
import { type SessionState, unknownState } from './session/session-state.js';

export type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
export type { TollgateChallengeAttributes } from './types/vue.js';

export interface UsedChallenge {
  readonly state: Readonly<ShallowRef<ChallengeState>>;
  /** For the element, and to submit the form. */
  readonly controller: ChallengeController;
}

/** Returns the session state: `unknown` until the component is mounted. @param session null on a server */
export function useSession(session: Session | null): Readonly<ShallowRef<SessionState>> {
  return refOf(unknownState, followSession(session));
}

/**
 * Fetches a form's challenges when the component is mounted and closes them when it is unmounted.
 * @param source options, or another component's controller, which stays open
 */
export function useChallenge(source?: UseChallengeOptions | ChallengeController): UsedChallenge {
  const { controller, follow } = followChallenge(source);
  return { controller, state: refOf(idleState, follow) };
}

function refOf<State>(initial: State, follow: Follow<State>): Readonly<ShallowRef<State>> {
  const state = shallowRef(initial);
  let stop: (() => void) | undefined;
  onMounted(() => {
    stop = follow((next) => {
      state.value = next;
    });
  });
  onUnmounted(() => stop?.());
  return state;
}
