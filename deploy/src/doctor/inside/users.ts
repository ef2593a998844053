// Whether passwords are hashed as well as they are today.

import { type Finding, good, problem, warning } from '../finding.js';

export interface UserFacts {
  /** Why the directory does not answer; undefined when it does. */
  readonly away: string | undefined;
  /** What is wrong with what it answered about the account; undefined when it is a user or nobody. */
  readonly unusable: string | undefined;
  /** Users whose hash was looked at: all of a file, else the account that signed in. */
  readonly seen: number;
  /** Those of them with a password whose hash cannot be read. */
  readonly unreadable: number;
  /** Those of them whose hash is cheaper than, or of another kind than, those made today. */
  readonly outdated: number;
  /** Whether old hashes are replaced at a log-in. */
  readonly replaces: boolean;
}

/** The directory and its hashes. */
export function diagnoseUsers({
  away,
  unusable,
  seen,
  unreadable,
  outdated,
  replaces,
}: UserFacts): Finding[] {
  if (away !== undefined) {
    return [
      problem(
        'directory_away',
        `The directory of users does not answer from here: ${away}.`,
        'Start it, or mend USERS_URL.',
      ),
    ];
  }
  const found: Finding[] = [];
  if (unusable !== undefined) {
    found.push(
      problem(
        'user_unusable',
        `Nobody can sign in as the account of --email: ${unusable}.`,
        'Mend its row, or the statement or method that finds it: one user, with every field.',
      ),
    );
  }
  if (unreadable > 0) {
    found.push(
      problem(
        'hashes_unreadable',
        `The password hash of ${users(unreadable)} cannot be read: they cannot sign in.`,
        'Hashes must be argon2id, scrypt (PHC) or bcrypt.',
      ),
    );
  }
  if (outdated > 0) {
    found.push(
      warning(
        'hashes_outdated',
        `The password hash of ${users(outdated)} is weaker than those made today.`,
        replaces
          ? 'Each is replaced when its owner signs in.'
          : 'Set USERS_SAVE_HASH, or give the module a saveHash, so that each is replaced when its owner signs in.',
      ),
    );
  }
  if (found.length > 0) return found;
  return [
    good(
      'users',
      seen === 0
        ? 'The directory of users answers.'
        : `The password hash of ${users(seen)} is as strong as those made today.`,
    ),
  ];
}

function users(count: number): string {
  return count === 1 ? '1 user' : `${count} users`;
}
