// The state of a session or challenge while a component is mounted, for the reactive values of each framework.

import type { ChallengeState } from '../challenge/challenge-state.js';
import type { ChallengeController } from '../challenge/controller.js';
import type { Session } from '../session/session-options.js';
import type { SessionState } from '../session/session-state.js';
import { createMountedChallenge, type UseChallengeOptions } from './mounted-challenge.js';

/** Call it when a component is mounted: calls `set` with the state and after each change. @returns the cleanup */
export type Follow<State> = (set: (state: State) => void) => () => void;

interface Source<State> {
  readonly state: State;
  subscribe(listener: () => void): () => void;
}

function follow<State>(source: Source<State>, set: (state: State) => void): () => void {
  const update = () => set(source.state);
  update();
  return source.subscribe(update);
}

/** @param session null on a server */
export function followSession(session: Session | null): Follow<SessionState> {
  return (set) => (session === null ? () => {} : follow(session, set));
}

interface FollowedChallenge {
  readonly controller: ChallengeController;
  readonly follow: Follow<ChallengeState>;
}

/** @param source options, or a controller that the component does not close */
export function followChallenge(source: UseChallengeOptions | ChallengeController = {}): FollowedChallenge {
  if ('subscribe' in source) return { controller: source, follow: (set) => follow(source, set) };
  const own = createMountedChallenge();
  return {
    controller: own.controller,
    follow(set) {
      const unmount = own.mount(source);
      const stop = follow(own.controller, set);
      return () => {
        stop();
        unmount();
      };
    },
  };
}
