// The interface of user directories, the accounts of their users, and the circuit breaker before a directory.

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
   * What the directory finds the user by, if that is not the address: a user name, say. As it is stored, never as it was
   * asked for: failures are counted by its account key.
   */
  readonly account?: string | undefined;
  /** Password hash, recognised by its prefix (password-hash.ts); empty for a user without a password. */
  readonly hash: string;
  readonly disabled: boolean;
  /** What tokens say of the user beside id and address: at most 1,024 bytes of JSON. */
  readonly claims?: UserClaims | undefined;
}

/**
 * Every method throws DirectoryUnavailableError if the directory does not answer. A search throws UnusableUserError if
 * it does not find exactly one valid user.
 */
export interface Directory {
  /**
   * Call `findByAccount` instead (accounts.ts): the user that is returned here may have another account key.
   * @param spelling a normalised address (one of accountSpellings)
   */
  findByEmail(spelling: string): Promise<DirectoryUser | undefined>;
  findById(id: UserId): Promise<DirectoryUser | undefined>;
  /**
   * Replaces a hash if it still is `oldHash`, and returns whether it did. A directory that cannot replace hashes does
   * not have this method.
   */
  saveHash?(id: UserId, oldHash: string, newHash: string): Promise<boolean>;
  /** A text that only this directory has, if its users never change their addresses. */
  identity?(): Promise<string>;
  /** Resolves if the directory answers. */
  health(): Promise<void>;
  close(): Promise<void>;
}

/** The directory did not answer. The message contains no secret and no user data. */
export class DirectoryUnavailableError extends Error {
  override readonly name: string = 'DirectoryUnavailableError';
}

/**
 * The directory answered, but not with exactly one valid user: it returned several, or one with a missing or invalid
 * field. Nobody can sign in to that account until its row is repaired.
 */
export class UnusableUserError extends DirectoryUnavailableError {
  override readonly name = 'UnusableUserError';
  /** Ids of the users concerned, as far as they can be read, at most five. */
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
 * Checks a value that an external directory returned, and copies the fields of a user from it.
 * @param source what returned the value; the error message starts with it
 * @throws UnusableUserError naming the first field that is missing or invalid, never its value
 */
export function readDirectoryUser(value: unknown, source: string): DirectoryUser {
  if (typeof value !== 'object' || value === null) {
    throw new UnusableUserError(`${source} returned something that is no user`);
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
  // No token is made for a disabled user. A mistake in what tokens hold must not hide that the user is disabled.
  if (disabled) return { id, email, ...(account !== undefined && { account }), hash, disabled };
  const claims = readUserClaims(user.claims);
  if (claims === null) {
    const mistake = `whose claims are no JSON object of at most ${MAX_CLAIMS_BYTES} bytes`;
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
 * compare without them, as PostgreSQL does with UUIDs.
 * @param source what returned the user; the error message starts with it
 * @throws DirectoryUnavailableError if it is another user
 */
export function checkFound(
  user: DirectoryUser | undefined,
  id: UserId,
  source: string,
): DirectoryUser | undefined {
  if (user === undefined || user.id === id) return user;
  if (String(user.id).toLowerCase() === String(id).toLowerCase()) return undefined;
  throw new DirectoryUnavailableError(`${source} returned another user than the one asked for`);
}

/** The valid ids among what an external directory returned. */
export function readIds(users: readonly { readonly id?: unknown }[]): UserId[] {
  return users.map(({ id }) => id).filter(isUserId);
}

/** Finds users by account. */
export interface Accounts {
  /**
   * Returns the user whose account key is that of `account`. A directory may compare more loosely than `accountKey`, as
   * a database does whose collation ignores accents: then each spelling of one account would have failures of its own.
   * Somebody with another account key is therefore nobody. The directory is always asked for every spelling of the
   * account (`accountSpellings`), so that the work tells nothing; the spelling that was typed wins.
   * @param account the email address, or what else the directory finds users by, as it was typed
   * @throws DirectoryUnavailableError and UnusableUserError, as `findByEmail` does
   */
  findByAccount(account: string): Promise<DirectoryUser | undefined>;
}

/** A directory that finds users by account, and in no other way by a text of a client. */
export type AccountDirectory = Omit<Directory, 'findByEmail'> & Accounts;

/** Returns the account key of a user: the one under which the failures of the user's logins are counted. */
export function accountKeyOf(user: Pick<DirectoryUser, 'account' | 'email'>): string {
  return accountKey(accountOf(user));
}

/** Returns the text by which the directory finds a user. */
export function accountOf({ account, email }: Pick<DirectoryUser, 'account' | 'email'>): string {
  return account ?? email;
}

/**
 * Makes a directory find users by account alone.
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

/** The rows of one spelling that are no user do not hide the user of another one. */
function unusable(error: unknown): UnusableUserError {
  if (error instanceof UnusableUserError) return error;
  throw error;
}

/** A failure that takes at least this long opens the circuit, in milliseconds; a faster one costs a refresh nothing. */
const HANGING_MS = 1000;

/** Time between two health checks while the circuit is open, in milliseconds. */
const RETRY_MS = 1000;

/**
 * Wraps a directory: after a `findById` that hung, `findById` fails immediately until `health` resolves again. Health
 * is checked once a second meanwhile. The other methods are unchanged, because logins need the directory.
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
