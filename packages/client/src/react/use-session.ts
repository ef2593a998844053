// Hook for the session of the page.

import { useSyncExternalStore } from 'react';
import type { Session } from '../session/session-options.js';
import type { SessionState } from '../session/session-state.js';
import { unknownState } from '../session/session-state.js';

const never = () => () => {};

/**
 * Returns the session state and rerenders the component on changes. On a server and during hydration the state is
 * `unknown`.
 * @param session created once, outside of components; null on a server
 */
export function useSession(session: Session | null): SessionState {
  return useSyncExternalStore(
    session?.subscribe ?? never,
    () => session?.state ?? unknownState,
    () => unknownState,
  );
}
