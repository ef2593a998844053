// Everything that has data of one person, and which person that is.

import { accountPseudonym, accountSpellings } from '@tollgate/shared/challenges';
import { SESSION_APPLICATION } from '@tollgate/shared/config';
import type { KeyRing } from '@tollgate/shared/crypto';
import type { CaptchaOptions, UserId } from '@tollgate/shared/schemas';
import type { Store } from '@tollgate/shared/store';
import { type AccountDirectory, type DirectoryUser, UnusableUserError } from '../directory/directory.js';
import type { AccountEvents } from '../stores/account-events.js';
import type { DeviceVoids } from '../stores/device-voids.js';
import { type KnownUserStore, openKnownUsers } from '../stores/known-users.js';
import type { SessionStore } from '../stores/session-store.js';
import type { SignInCodes } from '../stores/sign-in-codes.js';
import type { PersonRequest } from './person-bodies.js';

/** The places, which the caller owns. */
export interface PersonPlaces {
  readonly directory: AccountDirectory;
  readonly sessions: SessionStore;
  readonly deviceVoids: DeviceVoids;
  readonly signInCodes: SignInCodes;
  readonly accountEvents: AccountEvents;
  /** Makes every node reject the access tokens of these sessions. Called before the sessions are removed. */
  readonly revoke: (sids: readonly string[]) => Promise<void>;
  /** The stores themselves; the same one twice if there is one. */
  readonly stores: { readonly sessions: Store; readonly challenges: Store };
  readonly ring: KeyRing;
  readonly settings: PersonSettings;
}

/** Opens the users who identify the directory. */
export function knownUsersOf({ stores, settings }: PersonPlaces): KnownUserStore {
  const times = { keepMs: settings.maxAge * 1000, userMs: settings.refreshTtl * 1000 };
  return openKnownUsers(stores.sessions, times);
}

/** The variables that decide about places and retention. Times are seconds. */
export interface PersonSettings {
  /** Absolute path of `AUDIT_LOG`. */
  readonly auditPath: string | undefined;
  readonly auditDays: number | undefined;
  readonly auditTtl: number;
  readonly accessTtl: number;
  readonly refreshTtl: number;
  readonly maxAge: number;
  readonly deviceTtl: number;
  readonly cachePrefix: string;
  readonly failureDecay: number;
}

/** Reads the settings. @param auditPath absolute path of `AUDIT_LOG` */
export function personSettings(
  values: {
    readonly AUDIT_LOG_DAYS?: number | undefined;
    readonly AUDIT_TTL: number;
    readonly ACCESS_TTL: number;
    readonly REFRESH_TTL: number;
    readonly SESSION_MAX_AGE: number;
    readonly DEVICE_TTL: number;
  },
  captcha: CaptchaOptions,
  auditPath: string | undefined,
): PersonSettings {
  return {
    auditPath,
    auditDays: values.AUDIT_LOG_DAYS,
    auditTtl: values.AUDIT_TTL,
    accessTtl: values.ACCESS_TTL,
    refreshTtl: values.REFRESH_TTL,
    maxAge: values.SESSION_MAX_AGE,
    deviceTtl: values.DEVICE_TTL,
    cachePrefix: captcha.cache.prefix,
    failureDecay: captcha.escalation.decay,
  };
}

/** A person. */
export interface Person {
  readonly email: string | undefined;
  readonly user: DirectoryUser | undefined;
  /** Whether the directory has the user, readable or not. */
  readonly isInDirectory: boolean;
  /** The person's user ids: one, or several of deleted users with the same address. */
  readonly uids: ReadonlySet<UserId>;
  /** Pseudonyms of the person's accounts under every key, for all applications. */
  readonly accounts: ReadonlySet<string>;
}

/**
 * Finds a person by id or address, also one who was deleted from the directory: an address then leads to the deleted users
 * who logged in with it within `AUDIT_TTL`, an id to the accounts to which this user logged in.
 * @throws DirectoryUnavailableError, StoreUnavailableError
 */
export async function findPerson(
  { directory, accountEvents, ring }: PersonPlaces,
  { id, email, applications = [] }: PersonRequest,
): Promise<Person> {
  const found = await findUser(directory, { id, email });
  const user = found === 'unusable' ? undefined : found;
  const uids = new Set([id, user?.id].filter((uid) => uid !== undefined));
  const addresses = [email, user?.email, user?.account].filter((one) => one !== undefined);
  const spellings = new Set(addresses.flatMap((address) => [...accountSpellings(address)]));
  const accounts = new Set(
    [SESSION_APPLICATION, ...applications].flatMap((application) =>
      ring.all.flatMap((key) => [...spellings].map((one) => accountPseudonym(key, application, one))),
    ),
  );
  if (email !== undefined && found === undefined) {
    for (const account of accounts) {
      for (const { uid } of await accountEvents.read(account)) {
        if (uid !== undefined && (await findUser(directory, { id: uid })) === undefined) uids.add(uid);
      }
    }
  }
  if (uids.size > 0) for (const account of await accountEvents.accountsOf(uids)) accounts.add(account);
  return { email: user?.email ?? email, user, isInDirectory: found !== undefined, uids, accounts };
}

async function findUser(
  directory: AccountDirectory,
  { id, email }: { readonly id?: UserId | undefined; readonly email?: string | undefined },
): Promise<DirectoryUser | 'unusable' | undefined> {
  try {
    if (id !== undefined) return await directory.findById(id);
    return email === undefined ? undefined : await directory.findByAccount(email);
  } catch (error) {
    if (error instanceof UnusableUserError) return 'unusable';
    throw error;
  }
}

/** The person in a document. */
export function namesOf({ email, user, isInDirectory, uids }: Person) {
  const id = user?.id ?? [...uids][0];
  return {
    ...(id !== undefined && { id }),
    ...(email !== undefined && { email }),
    in_directory: isInDirectory,
  };
}
