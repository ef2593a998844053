// Login with a password: its user, the bounded queue of hashing, and the hash for unknown accounts.

import type { UserId } from '@tollgate/shared/schemas';
import fastq from 'fastq';
import type { AccountDirectory } from '../directory/directory.js';
import { type DirectoryUser, UnusableUserError } from '../directory/directory.js';
import type { FailureReason } from '../domain/account-event.js';
import {
  CURRENT_COST,
  hashCost,
  hashPassword,
  makeDummyHash,
  needsRehash,
  passwordForms,
  verifyPassword,
} from './password-hash.js';

/** Checks passwords against a directory. */
export interface SignIn {
  /**
   * Returns the user if the password matches; undefined for a wrong password, an unknown or disabled account, and an account
   * without a usable user in the directory. Each case takes the same lookups, and one verification for each form of the
   * password (`passwordForms`): of the user's hash, or of the dummy hash if the account does not exist or its hash is
   * unreadable. Each verification has its own place in the queue.
   *
   * @param account the email address as typed (`findByAccount`)
   * @param onFailure called with the reason when there is no user to return
   * @throws DirectoryUnavailableError when the directory does not respond
   * @throws HashingOverloadedError when too many passwords are being checked
   */
  check(
    account: string,
    password: string,
    onFailure?: (reason: FailureReason) => void,
  ): Promise<DirectoryUser | undefined>;
  /**
   * Hashes a new password.
   * @throws HashingOverloadedError as `check` does
   */
  hash(password: string): Promise<string>;
  /**
   * Rejects while the queue is full, when `check` would reject too. Takes no place.
   * @throws HashingOverloadedError
   */
  admit(): Promise<void>;
}

/** Optional callbacks and the comparison itself. */
interface SignInOptions {
  /**
   * Called for a user who cannot log in because the hash is damaged, of an unknown algorithm or too expensive. Not called
   * for an empty hash: that user has no password.
   */
  readonly onUnreadableHash?: (userId: UserId) => void;
  /** Called for an account whose row or rows are not exactly one valid user. */
  readonly onUnusableUser?: (error: UnusableUserError) => void;
  /** Compares a password with a hash; by default `verifyPassword`. */
  readonly verify?: (passwordHash: string, password: string) => Promise<boolean>;
}

/**
 * Creates the check. If the password matches and its hash is outdated, a new hash replaces it, provided the directory
 * can save one.
 * @param onRehashError called when the new hash could not be saved; the login still succeeds
 */
export function createSignIn(
  directory: AccountDirectory,
  queue: HashingQueue,
  onRehashError: (error: unknown) => void,
  { onUnreadableHash = () => {}, onUnusableUser = () => {}, verify = verifyPassword }: SignInOptions = {},
): SignIn {
  const dummyHash = createDummyHash();

  const find = async (account: string): Promise<DirectoryUser | undefined> => {
    try {
      return await directory.findByAccount(account);
    } catch (error) {
      // A distinct response would reveal that this account exists.
      if (!(error instanceof UnusableUserError)) throw error;
      onUnusableUser(error);
      return undefined;
    }
  };

  const hashNew = (password: string) => queue.run(() => hashPassword(password));

  /**
   * Returns the user with the directory's hash afterwards.
   * @param password the matching form
   */
  const rehash = async (user: DirectoryUser, password: string): Promise<DirectoryUser> => {
    if (directory.saveHash === undefined || !needsRehash(user.hash, password)) return user;
    try {
      const hash = await hashNew(password);
      if (await directory.saveHash(user.id, user.hash, hash)) return { ...user, hash };
    } catch (error) {
      onRehashError(error);
    }
    return user;
  };

  return {
    async check(account, password, onFailure = () => {}) {
      const user = await find(account);
      const isReadable = user !== undefined && hashCost(user.hash) !== undefined;
      if (user !== undefined) {
        if (isReadable) dummyHash.note(user.id, user.hash);
        else if (user.hash !== '') onUnreadableHash(user.id);
      }
      const passwordHash = isReadable ? user.hash : dummyHash.value;
      for (const form of passwordForms(password)) {
        const matches = await queue.run(() => verify(passwordHash, form));
        if (matches && isReadable && !user.disabled) return rehash(user, form);
      }
      onFailure(reasonOf(user, isReadable));
      return undefined;
    },
    hash: hashNew,
    async admit() {
      // Rejected by the queue itself, and so measured like every other rejection.
      if (queue.isFull) await queue.run(async () => {});
    },
  };
}

function reasonOf(user: DirectoryUser | undefined, isReadable: boolean): FailureReason {
  if (user === undefined) return 'unknown_account';
  if (user.disabled) return 'disabled';
  if (user.hash === '') return 'no_password';
  return isReadable ? 'wrong_password' : 'unreadable_hash';
}

/** The queue is full; the caller responds with 503. */
export class HashingOverloadedError extends Error {
  override readonly name = 'HashingOverloadedError';
}

/** Hashes that may wait, for each that runs. */
const WAITING_PER_HASH = 32;

/**
 * Returns how many hashes run at once and how many wait. One processor is left for everything else.
 * @param poolThreads the size of Node's thread pool, which computes them: more than these would only wait there, uncounted
 */
export function hashingLimits(processors: number, poolThreads: number): { running: number; waiting: number } {
  const running = Math.max(1, Math.min(processors - 1, poolThreads));
  return { running, waiting: running * WAITING_PER_HASH };
}

/** Runs work now or later, in order of arrival. */
export interface HashingQueue {
  /**
   * Resolves or rejects as the work does.
   * @throws HashingOverloadedError immediately, without starting the work, when the queue is full
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** How many hashes are running and how many are waiting. */
  readonly load: { readonly running: number; readonly waiting: number };
  /** Whether `run` would reject now. */
  readonly isFull: boolean;
}

/**
 * Creates the queue.
 * @param limits.running hashes that run at once, at least 1; each takes a core and, with argon2id, 19 MiB
 * @param limits.waiting hashes that may wait for one of those to finish
 */
export function createHashingQueue(limits: { running: number; waiting: number }): HashingQueue {
  const queue = fastq.promise(async (work: () => Promise<unknown>) => work(), limits.running);
  const isFull = () => queue.running() >= limits.running && queue.length() >= limits.waiting;
  return {
    async run<T>(work: () => Promise<T>) {
      if (isFull()) throw new HashingOverloadedError('too many hashes are waiting');
      return queue.push(work) as Promise<T>;
    },
    get load() {
      return { running: queue.running(), waiting: queue.length() };
    },
    get isFull() {
      return isFull();
    },
  };
}

/** A dummy hash whose cost follows the hashes of the directory. */
interface DummyHash {
  /** Records the cost of a user's hash; a text that is not a valid hash is ignored. */
  note(userId: UserId, passwordHash: string): void;
  /** A hash of the most common cost that matches no password; it changes only when the most common cost does. */
  readonly value: string;
}

/** Users whose costs are remembered; the one recorded longest ago is forgotten first. */
const MAX_USERS = 1000;

/**
 * Creates the dummy hash. It starts with the cost of new hashes and learns from every login to an existing account,
 * successful or not, because a directory cannot list its users. Each user counts once, with the newest hash, so repeated
 * logins cannot shift the result.
 *
 * If all hashes of the directory cost the same, one login to an existing account after a start is enough, so timing reveals
 * at most one account. If costs differ, accounts with a rarer cost differ in time from missing accounts, until their owners
 * log in and their hashes are replaced.
 */
export function createDummyHash(): DummyHash {
  const costs = new Map<UserId, string>();
  const counts = new Map<string, number>();
  let common = CURRENT_COST;
  let dummy = makeDummyHash(common);

  const count = (cost: string, change: 1 | -1) => {
    const users = (counts.get(cost) ?? 0) + change;
    if (users === 0) counts.delete(cost);
    else counts.set(cost, users);
  };
  const forget = (userId: UserId) => {
    const cost = costs.get(userId);
    if (cost === undefined) return;
    costs.delete(userId);
    count(cost, -1);
  };

  return {
    note(userId, passwordHash) {
      const cost = hashCost(passwordHash);
      if (cost === undefined) return;
      forget(userId);
      costs.set(userId, cost);
      count(cost, 1);
      if (costs.size > MAX_USERS) forget(costs.keys().next().value ?? userId);
      const most = mostCommon(counts, common);
      if (most === common) return;
      common = most;
      dummy = makeDummyHash(common);
    },
    get value() {
      return dummy;
    },
  };
}

/** The cost with the highest count; on a tie the current one wins. */
function mostCommon(counts: ReadonlyMap<string, number>, present: string): string {
  let most = present;
  for (const [cost, users] of counts) if (users > (counts.get(most) ?? 0)) most = cost;
  return most;
}
