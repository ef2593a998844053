// The session of the page, in a component.

import { useSyncExternalStore } from 'react';
import type { Session } from '../session/session-options.js';
import type { SessionState } from '../session/session-state.js';
import { unknownState } from '../session/session-state.js';

const never = () => () => {};

/**
 * The state of a session; the component is rendered again when it changes. On a server, and while the page is hydrated,
 * it is `unknown`.
 * @param session made once, outside of components; null on a server, which has none
 */
export function useSession(session: Session | null): SessionState {
  return useSyncExternalStore(
    session?.subscribe ?? never,
    () => session?.state ?? unknownState,
    () => unknownState,
  );
}
