// The actions of the command `session` on the store; each returns the text to print.

import { CommandError } from '@tollgate/shared/config';
import type { Store } from '@tollgate/shared/store';
import { KNOWN_USERS_KEY } from '../stores/session-keys.js';
import { writeCopy } from './backup.js';

/** @throws CommandError if the store is a Redis, or the target exists or cannot be written */
export async function backUpStore(store: Store, target: string): Promise<string> {
  if (store.kind === 'redis') throw new CommandError('the store is a Redis, which has backups of its own');
  writeCopy(store, target);
  return `copied the store to ${target}`;
}

/** Forgets the users by which the directory is recognised; from now on it is the one that the service has. */
export async function acceptDirectory(store: Store): Promise<string> {
  await store.exchange(KNOWN_USERS_KEY, '', 1);
  return 'the directory is accepted: running services notice it within 10 seconds';
}
