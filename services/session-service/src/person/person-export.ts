// Exports everything that is stored of one person, with explanations.

import { isoTime } from '@tollgate/shared/schemas';
import { openAccountCounters } from './account-counters.js';
import { type AuditFiles, auditFilesOf, findAuditLines } from './audit-person.js';
import { elsewhereOf } from './elsewhere.js';
import { EXPLANATIONS } from './explanations.js';
import type { PartName, PersonExport, PersonRequest } from './person-bodies.js';
import { findPerson, knownUsersOf, namesOf, type Person, type PersonPlaces } from './person-places.js';

type Item = Readonly<Record<string, unknown>>;

/**
 * Collects the data of a person.
 * @throws DirectoryUnavailableError, StoreUnavailableError: a document is complete or there is none
 */
export async function exportPerson(places: PersonPlaces, wanted: PersonRequest): Promise<PersonExport> {
  const person = await findPerson(places, wanted);
  const madeAt = isoTime(await places.stores.sessions.timeMs());
  const items: Record<PartName, Item[]> = {
    directory: directoryItems(person),
    ...(await sessionItems(places, person)),
    account_events: await eventItems(places, person),
    failure_counters: await counterItems(places, person),
    directory_check: await checkItems(places, person),
    audit_log: await auditItems(places, person),
  };
  const parts = (Object.keys(items) as PartName[]).map((part) => {
    const { what, why, until } = EXPLANATIONS[part];
    return { part, what, why, until: until(places.settings), items: items[part] };
  });
  const { closed } = await auditFiles(places);
  const elsewhere = elsewhereOf(places, { closed });
  return { person: namesOf(person), made_at: madeAt, parts, elsewhere };
}

/** Whether a document has any data of the person. */
export function isEmpty({ parts }: PersonExport): boolean {
  return parts.every(({ items }) => items.length === 0);
}

function directoryItems({ user }: Person): Item[] {
  if (user === undefined) return [];
  const { id, email, account, disabled, claims, hash } = user;
  return [
    {
      id,
      email,
      ...(account !== undefined && { account }),
      disabled,
      has_password: hash !== '',
      ...(claims !== undefined && { claims }),
    },
  ];
}

async function sessionItems({ sessions, deviceVoids, signInCodes }: PersonPlaces, { uids }: Person) {
  const items: Record<'sessions' | 'ended_sessions' | 'device_void' | 'sign_in_codes', Item[]> = {
    sessions: [],
    ended_sessions: [],
    device_void: [],
    sign_in_codes: [],
  };
  for (const uid of uids) {
    for (const { sid, createdAtMs, lastUsedAtMs, expiresAtMs, userAgent } of await sessions.list(uid)) {
      const { known } = await sessions.find(sid, uid);
      const attributes = known !== undefined && 'record' in known ? known.record.attributes : {};
      items.sessions.push({
        user: uid,
        session: sid,
        created_at: isoTime(createdAtMs),
        last_used_at: isoTime(lastUsedAtMs),
        expires_at: isoTime(expiresAtMs),
        user_agent: userAgent,
        ...(Object.keys(attributes).length > 0 && { attributes }),
      });
    }
    for (const { sid, atMs, reason, address } of await sessions.ends(uid)) {
      const ended = { user: uid, session: sid, ended_at: isoTime(atMs), reason };
      items.ended_sessions.push({ ...ended, ...(address !== undefined && { address }) });
    }
    const latest = await deviceVoids.read(uid);
    if (latest !== undefined) {
      const except = latest.exceptSid === undefined ? {} : { except_session: latest.exceptSid };
      items.device_void.push({ user: uid, at: isoTime(latest.atMs), ...except });
    }
    for (const { createdAtMs, origin, attributes } of await signInCodes.ofUser(uid)) {
      items.sign_in_codes.push({ user: uid, created_at: isoTime(createdAtMs), origin, attributes });
    }
  }
  return items;
}

async function eventItems({ accountEvents }: PersonPlaces, { accounts, uids }: Person): Promise<Item[]> {
  const read = await Promise.all([...accounts].map((account) => accountEvents.read(account)));
  return read
    .flat()
    .filter(({ uid }) => uid === undefined || uids.has(uid))
    .map(({ atMs, event, reason, account, address, uid, sid }) => ({
      at: isoTime(atMs),
      event,
      ...(reason !== undefined && { reason }),
      account,
      ...(address !== undefined && { address }),
      ...(uid !== undefined && { user: uid }),
      ...(sid !== undefined && { session: sid }),
    }));
}

async function counterItems({ stores, settings }: PersonPlaces, { accounts }: Person): Promise<Item[]> {
  const counters = openAccountCounters(stores.challenges, settings.cachePrefix);
  return (await counters.read(accounts)).map(({ account, address, failedAtMs }) => ({
    account,
    ...(address !== undefined && { address }),
    failed_at: failedAtMs.map(isoTime),
  }));
}

async function checkItems(places: PersonPlaces, { uids }: Person): Promise<Item[]> {
  const { users } = await knownUsersOf(places).read();
  return users.filter(({ id }) => uids.has(id)).map(({ id, pseudonym }) => ({ user: id, pseudonym }));
}

async function auditItems(places: PersonPlaces, person: Person): Promise<Item[]> {
  const { files } = await auditFiles(places);
  return findAuditLines(files, person);
}

/** The files of `AUDIT_LOG`; none without the variable. */
export async function auditFiles(
  { settings: { auditPath } }: PersonPlaces,
  use?: 'change',
): Promise<AuditFiles> {
  return auditPath === undefined ? { files: [], closed: [] } : auditFilesOf(auditPath, use);
}
