// Erases one person: ends the sessions, removes everything that names the person, and says what remains.

import type { AuditTrail } from '@tollgate/shared/audit';
import { isoTime } from '@tollgate/shared/schemas';
import { openAccountCounters } from './account-counters.js';
import { eraseAuditLines } from './audit-person.js';
import { elsewhereOf } from './elsewhere.js';
import type { PartName, PersonErasure, PersonRequest } from './person-bodies.js';
import { auditFiles } from './person-export.js';
import { findPerson, knownUsersOf, namesOf, type Person, type PersonPlaces } from './person-places.js';
import { purgeStore } from './purge-store.js';

/**
 * Erases a person. The account comes last but one, so that the person is found again after an error: then erase the person
 * again. What a login or refresh has stored meanwhile goes after it.
 *
 * The audit stream keeps its lines without the person: the number of attacks and failures stays right.
 * @param trail receives `person_erased`
 * @throws DirectoryUnavailableError, StoreUnavailableError
 */
export async function erasePerson(
  places: PersonPlaces,
  wanted: PersonRequest,
  trail: Pick<AuditTrail, 'write'>,
  request?: string,
): Promise<PersonErasure> {
  const person = await findPerson(places, wanted);
  // In a directory of another program the user can still log in.
  const canLogIn = person.isInDirectory && places.directory.erase === undefined;
  const { sessions, challenges } = places.stores;
  await challenges.timeMs();
  const first = await eraseStored(places, person, { canLogIn });
  const deleted = await deleteUsers(places, person);
  const again = await eraseStored(places, person, { canLogIn, hasScanned: true });
  const { files, closed } = await auditFiles(places, 'change');
  const erased: Record<PartName, number> = {
    directory: deleted.count,
    ...addedUp(first, again),
    audit_log: await eraseAuditLines(files, person),
  };
  const purges = await Promise.all([...new Set([sessions, challenges])].map(purgeStore));
  trail.write({
    event: 'person_erased',
    sessions: erased.sessions,
    lines: erased.audit_log,
    ...(request !== undefined && { request }),
  });
  return {
    person: { ...namesOf(person), in_directory: canLogIn },
    erased_at: isoTime(await sessions.timeMs()),
    parts: (Object.keys(erased) as PartName[]).map((part) => ({ part, erased: erased[part] })),
    elsewhere: elsewhereOf(places, {
      closed,
      purges,
      isInDirectory: canLogIn,
      hasRemains: !deleted.isPurged,
    }),
  };
}

/** Whether an erasure has erased any data, or the person is still in a directory of another program. */
export function foundSomething({ person, parts }: PersonErasure): boolean {
  return person.in_directory || parts.some(({ erased }) => erased > 0);
}

type StoredPart = Exclude<PartName, 'directory' | 'audit_log'>;

/** @param hasScanned whether the parts that need a search through all keys, some seconds for a million, are done */
async function eraseStored(
  places: PersonPlaces,
  person: Person,
  { canLogIn, hasScanned = false }: { readonly canLogIn: boolean; readonly hasScanned?: boolean },
): Promise<Record<StoredPart, number>> {
  const { accountEvents, signInCodes } = places;
  const { accounts, uids } = person;
  return {
    ...(await eraseSessions(places, person, canLogIn)),
    sign_in_codes: hasScanned ? 0 : await sumOf(uids, signInCodes.erase),
    account_events: await sumOf(accounts, (account) => accountEvents.erase(account, uids)),
    // Failure counters protect an account from guessing.
    failure_counters: canLogIn || hasScanned ? 0 : await eraseCounters(places, person),
    directory_check: await forgetUsers(places, person),
  };
}

function addedUp(
  one: Record<StoredPart, number>,
  other: Record<StoredPart, number>,
): Record<StoredPart, number> {
  const sums = { ...one };
  for (const part of Object.keys(sums) as StoredPart[]) sums[part] += other[part];
  return sums;
}

/** Deletes nothing if another program manages the directory. */
async function deleteUsers({ directory }: PersonPlaces, { uids }: Person) {
  let [count, isPurged] = [0, true];
  for (const uid of uids) {
    const erased = await directory.erase?.(uid);
    if (erased?.wasStored === true) count += 1;
    if (erased?.isPurged === false) isPurged = false;
  }
  return { count, isPurged };
}

/** Revokes the sessions of the person before it removes them, so that every node rejects their tokens. */
async function eraseSessions(places: PersonPlaces, { uids }: Person, canLogIn: boolean) {
  const { sessions, deviceVoids } = places;
  const counts = { sessions: 0, ended_sessions: 0, device_void: 0 };
  for (const uid of uids) {
    // A stolen cookie of a known device becomes worthless, and codes that are being exchanged void.
    if (canLogIn) await deviceVoids.void(uid);
    const sids = (await sessions.list(uid)).map(({ sid }) => sid);
    if (sids.length > 0) await places.revoke(sids);
    const erased = await sessions.erase(uid);
    counts.sessions += erased.sessions;
    counts.ended_sessions += erased.ends;
    if (!canLogIn && (await deviceVoids.erase(uid))) counts.device_void += 1;
  }
  return counts;
}

function eraseCounters({ stores, settings }: PersonPlaces, { accounts }: Person): Promise<number> {
  const counters = openAccountCounters(stores.challenges, settings.cachePrefix);
  return counters.erase(accounts);
}

function forgetUsers(places: PersonPlaces, { uids }: Person): Promise<number> {
  const known = knownUsersOf(places);
  return sumOf(uids, async (uid) => ((await known.forget(uid)) ? 1 : 0));
}

async function sumOf<T>(values: Iterable<T>, count: (value: T) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const value of values) sum += await count(value);
  return sum;
}
