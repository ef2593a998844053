// The actions of the command `session` on the store; each returns the text to print.

import { CommandError } from '@tollgate/shared/config';
import type { Store } from '@tollgate/shared/store';
import { KNOWN_USERS_KEY } from '../stores/session-keys.js';
import { writeCopy } from './backup.js';

/** @throws CommandError if the store is a Redis, or the target exists or cannot be written */
export async function backUpStore(store: Store, target: string): Promise<string> {
  if (store.kind === 'redis') throw new CommandError('the store is a Redis, which has its own backups');
  writeCopy(store, target);
  return `copied the store to ${target}`;
}

/** Forgets the users that identify the directory; the service's current one is accepted from now on. */
export async function acceptDirectory(store: Store): Promise<string> {
  await store.exchange(KNOWN_USERS_KEY, '', 1);
  return 'the directory is accepted: running services notice it within 10 seconds';
}
