// The interface of user directories, the accounts of their users, and a directory's circuit breaker.

import { accountKey, accountSpellings } from '@tollgate/shared/challenges';
import {
  fitsTokens,
  isUserId,
  MAX_CLAIMS_BYTES,
  MAX_USER_BYTES,
  readUserClaims,
  USER_ID_WORDS,
  type UserClaims,
  type UserId,
} from '@tollgate/shared/schemas';

/** A user. */
export interface DirectoryUser {
  /** A number or a text: see `isUserId`. */
  readonly id: UserId;
  readonly email: string;
  /**
   * The directory's search key of the user, if that is not the address: a user name, for example. As stored, not as
   * searched: failures are counted by its account key.
   */
  readonly account?: string | undefined;
  /** Password hash, recognised by its prefix (password-hash.ts); empty for a user without a password. */
  readonly hash: string;
  readonly disabled: boolean;
  /** The user's claims beside id and address: at most 1,024 bytes of JSON. */
  readonly claims?: UserClaims | undefined;
}

/**
 * Every method throws DirectoryUnavailableError if the directory does not respond. A search throws UnusableUserError if it
 * does not find exactly one valid user.
 */
export interface Directory {
  /**
   * Call `findByAccount` instead (accounts.ts): the returned user may have another account key.
   * @param spelling a normalised address (one of accountSpellings)
   */
  findByEmail(spelling: string): Promise<DirectoryUser | undefined>;
  /** @param tokenEmail address in the user's token; only a checked directory (directory-check.ts) compares it */
  findById(id: UserId, tokenEmail?: string): Promise<DirectoryUser | undefined>;
  /**
   * Replaces a hash if it still is `oldHash`, and returns whether it did. A directory that cannot replace hashes lacks this
   * method.
   */
  saveHash?(id: UserId, oldHash: string, newHash: string): Promise<boolean>;
  /**
   * Deletes a user with all remains of earlier data in the file, also those of a user deleted before. The id is never
   * reused. A directory of another program lacks this method.
   */
  erase?(id: UserId): Promise<ErasedUser>;
  /** A string unique to this directory, if its users never change their addresses. */
  identity?(): Promise<string>;
  /** Resolves if the directory responds. */
  health(): Promise<void>;
  close(): Promise<void>;
}

/** The result of `erase`. */
export interface ErasedUser {
  /** Whether there was such a user. */
  readonly wasStored: boolean;
  /** False if other processes have locked the file, or its disk is full: it may have the old data until the next purge. */
  readonly isPurged: boolean;
}

/** The directory did not respond. The message contains no secret and no user data. */
export class DirectoryUnavailableError extends Error {
  override readonly name: string = 'DirectoryUnavailableError';
}

/**
 * The directory responded, but not with exactly one valid user: it returned several, or one with a missing or invalid field.
 * Nobody can log in to that account until its row is repaired.
 */
export class UnusableUserError extends DirectoryUnavailableError {
  override readonly name = 'UnusableUserError';
  /** Ids of the affected users, if readable, at most five. */
  readonly userIds: readonly UserId[];

  constructor(message: string, userIds: readonly UserId[] = []) {
    super(message);
    this.userIds = userIds.slice(0, 5);
  }
}

const FIELDS: Readonly<
  Record<
    Exclude<keyof DirectoryUser, 'account' | 'claims'>,
    readonly [isValid: (value: unknown) => boolean, words: string]
  >
> = {
  id: [isUserId, USER_ID_WORDS],
  email: [(value) => typeof value === 'string' && value !== '', 'a text'],
  hash: [(value) => typeof value === 'string', 'a text'],
  disabled: [(value) => typeof value === 'boolean', 'true or false'],
};

/**
 * @param source the source of the value; the error message starts with it
 * @throws UnusableUserError naming the first field that is missing or invalid, never its value
 */
export function readDirectoryUser(value: unknown, source: string): DirectoryUser {
  if (typeof value !== 'object' || value === null) {
    throw new UnusableUserError(`${source} returned something other than a user`);
  }
  const user = value as DirectoryUser;
  for (const [field, [isValid, words]] of Object.entries(FIELDS)) {
    const found = user[field as keyof typeof FIELDS];
    if (isValid(found)) continue;
    const mistake = found === undefined ? `without ${field}` : `whose ${field} is not ${words}`;
    throw new UnusableUserError(`${source} returned a user ${mistake}`, readIds([user]));
  }
  const { id, email, hash, disabled } = user;
  const account: unknown = user.account ?? undefined;
  if (account !== undefined && (typeof account !== 'string' || account === '')) {
    throw new UnusableUserError(`${source} returned a user whose account is not a text`, [id]);
  }
  // No token is made for a disabled user. A mistake in the token data must not hide that the user is disabled.
  if (disabled) return { id, email, ...(account !== undefined && { account }), hash, disabled };
  const claims = readUserClaims(user.claims);
  if (claims === null) {
    const mistake = `whose claims are not a JSON object of at most ${MAX_CLAIMS_BYTES} bytes`;
    throw new UnusableUserError(`${source} returned a user ${mistake}`, [id]);
  }
  if (!fitsTokens(email, claims)) {
    const mistake = `whose email and claims have more than ${MAX_USER_BYTES} bytes together`;
    throw new UnusableUserError(`${source} returned a user ${mistake}`, [id]);
  }
  return { id, email, ...(account !== undefined && { account }), hash, disabled, ...(claims && { claims }) };
}

/**
 * Returns the user that was found for an id; undefined for one whose id has other capital letters, because a directory may
 * ignore case, as PostgreSQL does with UUIDs.
 * @param source the source of the user; the error message starts with it
 * @throws DirectoryUnavailableError if it is another user
 */
export function checkFound(
  user: DirectoryUser | undefined,
  id: UserId,
  source: string,
): DirectoryUser | undefined {
  if (user === undefined || user.id === id) return user;
  if (String(user.id).toLowerCase() === String(id).toLowerCase()) return undefined;
  throw new DirectoryUnavailableError(`${source} returned another user than the requested one`);
}

/** The valid ids in a directory's result. */
export function readIds(users: readonly { readonly id?: unknown }[]): UserId[] {
  return users.map(({ id }) => id).filter(isUserId);
}

/** Finds users by account. */
export interface Accounts {
  /**
   * Returns the user with the account key of `account`. A directory may compare more loosely than `accountKey`, like a
   * database whose collation ignores accents: then each spelling of one account would have failures of its own. A user with
   * another account key therefore counts as missing. The directory is always queried for every spelling of the account
   * (`accountSpellings`), so that timing reveals nothing; the typed spelling has priority.
   * @param account the email address, or another search key, as typed
   * @throws DirectoryUnavailableError and UnusableUserError, as `findByEmail` does
   */
  findByAccount(account: string): Promise<DirectoryUser | undefined>;
}

/** A directory that finds users by account, and in no other way by a client's input. */
export type AccountDirectory = Omit<Directory, 'findByEmail'> & Accounts;

/** Returns the account key of a user, for counting failed logins. */
export function accountKeyOf(user: Pick<DirectoryUser, 'account' | 'email'>): string {
  return accountKey(accountOf(user));
}

/** Returns the directory's search key of a user. */
export function accountOf({ account, email }: Pick<DirectoryUser, 'account' | 'email'>): string {
  return account ?? email;
}

/**
 * Makes a directory find users only by account.
 * @param onOtherAccount called with the id of a user whom the directory returned for the key of another account
 */
export function withAccounts<D extends Directory>(
  directory: D,
  onOtherAccount: (userId: UserId) => void,
): Omit<D, 'findByEmail'> & Accounts {
  const { findByEmail, ...rest } = directory;
  return {
    ...rest,
    async findByAccount(account) {
      const key = accountKey(account);
      const find = (spelling: string) => findByEmail.call(directory, spelling).catch(unusable);
      const others = new Set<UserId>();
      try {
        for (const found of await Promise.all(accountSpellings(account).map(find))) {
          if (found instanceof UnusableUserError) throw found;
          if (found === undefined) continue;
          if (accountKeyOf(found) === key) return found;
          others.add(found.id);
        }
        return undefined;
      } finally {
        for (const id of others) onOtherAccount(id);
      }
    },
  };
}

/** Invalid rows of one spelling do not hide the user of another one. */
function unusable(error: unknown): UnusableUserError {
  if (error instanceof UnusableUserError) return error;
  throw error;
}

/** A failure that takes at least this long opens the circuit, in milliseconds; a faster one does not delay a refresh. */
const HANGING_MS = 1000;

/** Interval of health checks while the circuit is open, in milliseconds. */
const RETRY_MS = 1000;

/**
 * Wraps a directory: after a `findById` that hung, `findById` fails immediately until `health` resolves again. Meanwhile
 * health is checked once a second. The other methods are unchanged, because logins need the directory.
 */
export function withCircuitBreaker(directory: Directory): Directory {
  let openedBy: DirectoryUnavailableError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function scheduleCheck(): void {
    if (isClosed) return;
    timer = setTimeout(() => void directory.health().then(closeCircuit, scheduleCheck), RETRY_MS).unref();
  }
  function closeCircuit(): void {
    openedBy = undefined;
  }

  return {
    ...directory,
    async findById(id) {
      if (openedBy !== undefined) throw openedBy;
      const sinceMs = performance.now();
      try {
        return await directory.findById(id);
      } catch (error) {
        const hasHung = performance.now() - sinceMs >= HANGING_MS;
        if (hasHung && error instanceof DirectoryUnavailableError && openedBy === undefined) {
          openedBy = error;
          scheduleCheck();
        }
        throw error;
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      return directory.close();
    },
  };
}
