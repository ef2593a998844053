// Ends the sessions of a user for the command `users`, as the service does.

import { type Static, Type } from '@sinclair/typebox';
import { CommandError, StoreVariables, storeUrlOf } from '@tollgate/shared/config';
import type { UserId } from '@tollgate/shared/schemas';
import { openRevocationLog } from '@tollgate/shared/sessions';
import { type Store, StoreUnavailableError, storeFileMissing } from '@tollgate/shared/store';
import { SessionVariables } from '../../config.js';
import type { RequestedEnd } from '../../domain/session-end.js';
import { openDeviceVoids } from '../../stores/device-voids.js';
import { openSessionStore } from '../../stores/open-session-store.js';
import { revocationMs } from '../../stores/revoker.js';
import { PROJECT_ROOT, withStore } from '../service-data.js';
import type { EndAround } from '../user-actions.js';

/** The variables that locate the session store, and the lifetime of its entries. */
export const SessionEndVariables = Type.Object({
  ...StoreVariables,
  ACCESS_TTL: SessionVariables.ACCESS_TTL,
  AUDIT_TTL: SessionVariables.AUDIT_TTL,
});
type Values = Static<typeof SessionEndVariables>;

/** Ends every session of a user, voids the user's device cookies, and returns how many sessions were alive. */
type EndSessions = (uid: UserId, reason: RequestedEnd) => Promise<number>;

/**
 * Passes a function to `use` that ends the sessions of a user around a change. If there is no store yet, nobody has a
 * session: it then says so on the error output.
 * @throws StoreUnavailableError, before `use` is called, if the store does not respond
 */
export async function withSessionEnd<T>(values: Values, use: (end: EndAround) => Promise<T>): Promise<T> {
  const url = storeUrlOf(values);
  if (storeFileMissing(url, PROJECT_ROOT)) return use(changeWithoutStore);
  return withStore('STORE_URL', url, (store) => use(endAround(sessionEnd(store, values))));
}

const changeWithoutStore: EndAround = async (_uid, _reason, change) => {
  const done = await change();
  console.error(
    'users: there is no session store in DATA_DIR, so no session was ended; is STORE_URL missing?',
  );
  return done;
};

function endAround(endSessions: EndSessions): EndAround {
  return async (uid, reason, change) => {
    // A store that opens may still accept no writes: then the user must not be changed.
    const before = await endSessions(uid, reason);
    const done = await change();
    // Somebody with the old password may have logged in meanwhile.
    const after = await endSessions(uid, reason).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
      const path = `/users/${encodeURIComponent(uid)}/sessions`;
      throw new CommandError(
        `${done}, but then ${error.message}: sessions may remain; end them with DELETE ${path} on the admin port`,
        { cause: error },
      );
    });
    const ended = before + after;
    return `${done} and ended ${ended} ${ended === 1 ? 'session' : 'sessions'}`;
  };
}

function sessionEnd(store: Store, { ACCESS_TTL, AUDIT_TTL }: Values): EndSessions {
  const sessions = openSessionStore(store, AUDIT_TTL * 1000);
  const [voids, log] = [openDeviceVoids(store), openRevocationLog(store)];
  return async (uid, reason) => {
    await voids.void(uid);
    const sids = (await sessions.list(uid)).map(({ sid }) => sid);
    if (sids.length === 0) return 0;
    await log.append({ sids, keepMs: revocationMs(ACCESS_TTL * 1000) });
    return (await sessions.endListed(uid, sids, { reason })).length;
  };
}
