// Ends the sessions of a user for the command `users`, as the service does.

import { type Static, Type } from '@sinclair/typebox';
import { StoreVariables, storeUrlOf } from '@tollgate/shared/config';
import type { UserId } from '@tollgate/shared/schemas';
import { openRevocationLog } from '@tollgate/shared/sessions';
import { type Store, storeFileMissing } from '@tollgate/shared/store';
import { SessionVariables } from '../../config.js';
import type { RequestedEnd } from '../../domain/session-end.js';
import { openDeviceVoids } from '../../stores/device-voids.js';
import { openSessionStore } from '../../stores/open-session-store.js';
import { revocationMs } from '../../stores/revoker.js';
import { PROJECT_ROOT, withStore } from '../service-data.js';

/** The variables that locate the session store, and the lifetime of its entries. */
export const SessionEndVariables = Type.Object({
  ...StoreVariables,
  ACCESS_TTL: SessionVariables.ACCESS_TTL,
  AUDIT_TTL: SessionVariables.AUDIT_TTL,
});
type Values = Static<typeof SessionEndVariables>;

/** Ends every session of a user, voids the user's device cookies, and returns how many sessions were alive. */
export type EndSessions = (uid: UserId, reason: RequestedEnd) => Promise<number>;

/**
 * Passes a function that ends sessions to `use`. It is undefined if there is no store yet: then nobody has a session.
 * @throws StoreUnavailableError, before `use` is called, if the store does not respond
 */
export async function withSessionEnd<T>(
  values: Values,
  use: (endSessions: EndSessions | undefined) => Promise<T>,
): Promise<T> {
  const url = storeUrlOf(values);
  if (storeFileMissing(url, PROJECT_ROOT)) return use(undefined);
  return withStore('STORE_URL', url, (store) => use(sessionEnd(store, values)));
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
