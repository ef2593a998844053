// Solid primitives for session and challenges, and JSX types of the form element.

import { type Accessor, createSignal, onCleanup, onMount } from 'solid-js';
import { type ChallengeState, idleState } from './challenge/challenge-state.js';
import type { ChallengeController } from './challenge/controller.js';
import { type Follow, followChallenge, followSession } from './frameworks/follow.js';
import type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
import type { Session } from './session/session-options.js';
import { type SessionState, unknownState } from './session/session-state.js';

export type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
export type { TollgateChallengeAttributes } from './types/solid.js';

export interface UsedChallenge {
  readonly state: Accessor<ChallengeState>;
  /** For the element, and to submit the form. */
  readonly controller: ChallengeController;
}

/** Returns the session state: `unknown` until the component is mounted. @param session null on a server */
export function useSession(session: Session | null): Accessor<SessionState> {
  return signalOf(unknownState, followSession(session));
}

/**
 * Fetches a form's challenges when the component is mounted and closes them when it is unmounted.
 * @param source options, or another component's controller, which stays open
 */
export function useChallenge(source?: UseChallengeOptions | ChallengeController): UsedChallenge {
  const { controller, follow } = followChallenge(source);
  return { controller, state: signalOf(idleState, follow) };
}

function signalOf<State extends object>(initial: State, follow: Follow<State>): Accessor<State> {
  const [state, setState] = createSignal<State>(initial);
  onMount(() => onCleanup(follow((next) => void setState(() => next))));
  return state;
}
