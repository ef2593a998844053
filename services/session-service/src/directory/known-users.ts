// Some users who have signed in, as the store of the sessions remembers them: by them a directory is recognised.

import { accountPseudonym, foldAccount } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { KeyRing, RingKey } from '@tollgate/shared/crypto/key-ring.js';
import { readUserId, type UserId } from '@tollgate/shared/schemas/user-id.js';
import { type Directory, type DirectoryUser, UnusableUserError } from './directory.js';

/** A remembered user. */
export interface KnownUser {
  readonly id: UserId;
  /** Id of the key of `CHALLENGE_SECRET` under which the pseudonym was made. */
  readonly keyId: string;
  /** Pseudonym of the folded address (foldAccount): processes of all versions know a user by the same one. */
  readonly pseudonym: string;
}

/** What the store remembers of the directory. */
export interface KnownUsers {
  /** The identity of the directory, if it has one. */
  readonly identity: string | undefined;
  readonly users: readonly KnownUser[];
}

/** `same` also if nothing is remembered; `empty` if it has none of the remembered users; `other` if they are others. */
export type Recognition = 'same' | 'empty' | 'other';

/** Remembered users at most. */
const MAX_USERS = 8;

const NO_IDENTITY = '-';

/** The text is one line with the identity, and a line `id key-id pseudonym` for each user. */
export function parseKnownUsers(text: string | undefined): KnownUsers {
  const [identity = NO_IDENTITY, ...lines] = text?.split('\n') ?? [];
  const users = lines.map((line) => {
    const [id = '', keyId = '', pseudonym = ''] = line.split(' ');
    return { id: readUserId(id), keyId, pseudonym };
  });
  return { identity: identity === NO_IDENTITY ? undefined : identity, users };
}

export function formatKnownUsers({ identity = NO_IDENTITY, users }: KnownUsers): string {
  return [identity, ...users.map(({ id, keyId, pseudonym }) => `${id} ${keyId} ${pseudonym}`)].join('\n');
}

/** Adds a user, or replaces an older entry with the same id; returns the same users if there is nothing to change. */
export function withKnownUser(
  users: readonly KnownUser[],
  user: DirectoryUser,
  ring: KeyRing,
): readonly KnownUser[] {
  const before = users.find(({ id }) => id === user.id);
  if (before === undefined ? users.length >= MAX_USERS : before.pseudonym === pseudonymOf(user, ring)) {
    return users;
  }
  const { id: keyId } = ring.current;
  return [
    ...users.filter((one) => one !== before),
    { id: user.id, keyId, pseudonym: pseudonymOf(user, ring) },
  ];
}

/** Whether a user of the directory is another than the remembered one with the same id. */
export function contradicts(users: readonly KnownUser[], user: DirectoryUser, ring: KeyRing): boolean {
  const known = users.find(({ id }) => id === user.id);
  return known !== undefined && !isSameUser(known, user, ring);
}

/**
 * Finds out whether a directory is the one whose users are remembered. One user with another address is a user who
 * changed it, unless the directory has an identity: in such a directory addresses do not change.
 * @throws DirectoryUnavailableError if the directory does not answer
 */
export async function recognise(
  { identity, users }: KnownUsers,
  directory: Directory,
  ring: KeyRing,
): Promise<Recognition> {
  if (users.length === 0) return 'same';
  const identityNow = await directory.identity?.();
  if (identityNow !== undefined && identityNow === identity) return 'same';
  let changed = 0;
  for (const known of users) {
    const found = await findUser(directory, known.id);
    if (found === 'unusable' || (found !== undefined && isSameUser(known, found, ring))) return 'same';
    if (found !== undefined) changed += 1;
  }
  if (changed === 0) return 'empty';
  return changed === 1 && identityNow === undefined ? 'same' : 'other';
}

async function findUser(directory: Directory, id: UserId): Promise<DirectoryUser | 'unusable' | undefined> {
  try {
    return await directory.findById(id);
  } catch (error) {
    if (error instanceof UnusableUserError) return 'unusable';
    throw error;
  }
}

/** Without the key of that time only the id can be compared. */
function isSameUser({ keyId, pseudonym }: KnownUser, user: DirectoryUser, ring: KeyRing): boolean {
  const key = ring.find(keyId);
  return key === undefined || pseudonymUnder(key, user.email) === pseudonym;
}

function pseudonymOf(user: DirectoryUser, ring: KeyRing): string {
  return pseudonymUnder(ring.current, user.email);
}

/** Of the remembered users, by key and address. */
const pseudonyms = new Map<string, string>();

/** Every refresh of a remembered user needs it several times. */
function pseudonymUnder(key: RingKey, email: string): string {
  const cacheKey = `${key.id} ${email}`;
  let pseudonym = pseudonyms.get(cacheKey);
  if (pseudonym === undefined) {
    pseudonym = accountPseudonym(key, APPLICATION, foldAccount(email));
    if (pseudonyms.size >= 4 * MAX_USERS) pseudonyms.clear();
    pseudonyms.set(cacheKey, pseudonym);
  }
  return pseudonym;
}

/** Keeps these pseudonyms apart from those under which failures are counted. */
const APPLICATION = 'tollgate directory';
