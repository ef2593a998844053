// Gathers what the store knows of an account, for the command `session account`.

import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import { accountPseudonym } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import { SESSION_APPLICATION } from '@tollgate/shared/config/application-keys.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { Store } from '@tollgate/shared/store/open-store.js';
import { openAccountEvents } from '../stores/account-events.js';
import { openSessionSearch } from '../stores/open-session-search.js';
import { openSessionStore } from '../stores/open-session-store.js';
import type { KnownAccount } from './account-report.js';

/** The keyed name of an account under the key that is used now, as the audit stream has it. */
export function keyedAccount(ring: KeyRing, email: string): string {
  return accountPseudonym(ring.current, SESSION_APPLICATION, accountKey(email));
}

/**
 * What is known of an account under every key of the list: log-ins, those that failed, and of its users the ends of
 * sessions and the sessions that live. The users are those of the log-ins, and `uid`.
 *
 * @throws StoreUnavailableError when the store does not answer
 */
export async function findAccount(
  store: Store,
  ring: KeyRing,
  { email, uid }: { readonly email: string; readonly uid: number | undefined },
): Promise<KnownAccount> {
  const accounts = openAccountEvents(store, 0);
  const names = ring.all.map((key) => accountPseudonym(key, SESSION_APPLICATION, accountKey(email)));
  const events = (await Promise.all(names.map((name) => accounts.read(name)))).flat();
  const uids = new Set(events.flatMap((event) => (event.uid === undefined ? [] : [event.uid])));
  if (uid !== undefined) uids.add(uid);
  const search = openSessionSearch(store);
  const sessions = openSessionStore(store);
  const users = await Promise.all(
    [...uids].map(async (user) => ({
      uid: user,
      ends: await search.ends(user),
      alive: await sessions.list(user),
    })),
  );
  return { events, users };
}
