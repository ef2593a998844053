// The actions of the command `session` on the store; each returns the text to print.

import { rmSync } from 'node:fs';
import { CommandError } from '@tollgate/shared/config';
import { KEY_RECORD_KEY, openEmbeddedStore, type Store, StoreUnavailableError } from '@tollgate/shared/store';
import { KNOWN_USERS_KEY, SESSIONS_PREFIX } from '../stores/session-keys.js';
import { writeNewFile } from './new-file.js';

/**
 * Copies the sessions alone. A file shared with challenge-service also has spent challenges and revoked passes, which a
 * restored copy would make valid again, and process reports, which would delay a key rotation.
 * @throws CommandError if the store is a Redis, or the target exists or cannot be written
 */
export async function backUpStore(store: Store, target: string): Promise<string> {
  if (store.kind === 'redis') throw new CommandError('the store is a Redis, which has its own backups');
  writeNewFile(target, store.copyTo);
  try {
    await keepSessions(target);
  } catch (error) {
    for (const file of [target, `${target}-wal`, `${target}-shm`]) rmSync(file, { force: true });
    if (!(error instanceof StoreUnavailableError)) throw error;
    const { cause = error } = error as { cause?: unknown };
    throw new CommandError(`${target}: ${(cause as Error).message}`, { cause: error });
  }
  return `copied the sessions to ${target}`;
}

/** Removes all other entries, so that no byte of them is left. */
async function keepSessions(path: string): Promise<void> {
  const copy = openEmbeddedStore(path);
  try {
    const keys = await copy.keys('');
    const others = keys.filter((key) => !key.startsWith(SESSIONS_PREFIX) || key === KEY_RECORD_KEY);
    await copy.transact(({ remove }) => {
      for (const key of others) remove(key);
    });
    if (!(await copy.purge()))
      throw new CommandError(`${path}: it cannot be rewritten without the other entries: is its disk full?`);
  } finally {
    await copy.close();
  }
}

/** Forgets the users that identify the directory; the service's current one is accepted from now on. */
export async function acceptDirectory(store: Store): Promise<string> {
  await store.exchange(KNOWN_USERS_KEY, '', 1);
  return 'the directory is accepted: running services notice it within 10 seconds';
}
