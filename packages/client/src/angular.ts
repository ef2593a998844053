// Angular signals for session and challenges.

import { afterNextRender, DestroyRef, inject, type Signal, signal } from '@angular/core';
import { type ChallengeState, idleState } from './challenge/challenge-state.js';
import type { ChallengeController } from './challenge/controller.js';
import { type Follow, followChallenge, followSession } from './frameworks/follow.js';
import type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
import type { Session } from './session/session-options.js';
import { type SessionState, unknownState } from './session/session-state.js';

export type { UseChallengeOptions } from './frameworks/mounted-challenge.js';

export interface InjectedChallenge {
  readonly state: Signal<ChallengeState>;
  /** For the element, and to submit the form. */
  readonly controller: ChallengeController;
}

/**
 * Returns the session state: `unknown` until the component is rendered. Call it in an injection context.
 * @param session null on a server
 */
export function injectSession(session: Session | null): Signal<SessionState> {
  return signalOf(unknownState, followSession(session));
}

/**
 * Fetches a form's challenges when the component is rendered and closes them when it is destroyed. Call it in an
 * injection context.
 * @param source options, or another component's controller, which stays open
 */
export function injectChallenge(source?: UseChallengeOptions | ChallengeController): InjectedChallenge {
  const { controller, follow } = followChallenge(source);
  return { controller, state: signalOf(idleState, follow) };
}

function signalOf<State>(initial: State, follow: Follow<State>): Signal<State> {
  const state = signal(initial);
  const destroyRef = inject(DestroyRef);
  // Not on a server.
  afterNextRender(() => {
    destroyRef.onDestroy(follow((next) => state.set(next)));
  });
  return state.asReadonly();
}
