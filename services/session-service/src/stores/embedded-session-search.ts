// The search for a session on the embedded store: through the users in the order of their keys.

import { userSessionsKey } from '@tollgate/shared/sessions/session-keys.js';
import type { EmbeddedStore } from '@tollgate/shared/store/embedded-store.js';
import { parseSessionEnds } from '../domain/session-end.js';
import { parseSessionSet } from '../domain/session-set.js';
import { endNotesKey, USER_KEYS, userOfKey } from './session-keys.js';
import type { KnownSession, SessionSearch } from './session-search.js';

export function embeddedSessionSearch(store: EmbeddedStore): SessionSearch {
  /** The sessions before the notes: what has left the first by then is among the second. */
  const findIn = async (sid: string, uid: number): Promise<KnownSession | undefined> => {
    const record = parseSessionSet(await store.read(userSessionsKey(uid))).get(sid);
    if (record !== undefined) return { uid, record };
    const end = parseSessionEnds(await store.read(endNotesKey(uid))).find((one) => one.sid === sid);
    return end === undefined ? undefined : { uid, end };
  };

  const findAnywhere = async (sid: string): Promise<KnownSession | undefined> => {
    const users = new Set(store.keys(USER_KEYS).map(userOfKey));
    for (const uid of users) {
      const known = uid === undefined ? undefined : await findIn(sid, uid);
      if (known !== undefined) return known;
    }
    return undefined;
  };

  return {
    async find(sid, uid) {
      const known = await (uid === undefined ? findAnywhere(sid) : findIn(sid, uid));
      return { nowMs: await store.transact(({ nowMs }) => nowMs), known };
    },
    ends: async (uid) => parseSessionEnds(await store.read(endNotesKey(uid))),
  };
}
