// The users, wherever they are kept: what the service asks of a directory.

/** A user. */
export interface DirectoryUser {
  /** A whole number from 1 to 2^53 - 1. */
  readonly id: number;
  readonly email: string;
  /** Password hash, recognised by its prefix (password-hash.ts); empty for a user who has no password. */
  readonly hash: string;
  readonly disabled: boolean;
}

/**
 * Every method throws DirectoryUnavailableError when the directory does not answer, and a search UnusableUserError when
 * what it finds is not one user.
 */
export interface Directory {
  /** @param accountKey the normalised address (accountKey) */
  findByEmail(accountKey: string): Promise<DirectoryUser | undefined>;
  findById(id: number): Promise<DirectoryUser | undefined>;
  /** Replaces a hash if it is still `oldHash`, and says whether it did. Missing where hashes cannot be replaced. */
  saveHash?(id: number, oldHash: string, newHash: string): Promise<boolean>;
  /** Resolves when the directory answers. */
  health(): Promise<void>;
  close(): Promise<void>;
}

/** The directory did not answer. Its message holds nothing secret and nothing about a user. */
export class DirectoryUnavailableError extends Error {
  override readonly name: string = 'DirectoryUnavailableError';
}

/**
 * The directory answered, but with something that is not one user: several, or one with a field that is missing or
 * wrong. Nobody can sign in as that account until its row is mended.
 */
export class UnusableUserError extends DirectoryUnavailableError {
  override readonly name = 'UnusableUserError';
  /** Ids of the users it is about, as far as they can be read; a few of many. */
  readonly userIds: readonly number[];

  constructor(message: string, userIds: readonly number[] = []) {
    super(message);
    this.userIds = userIds.slice(0, 5);
  }
}
