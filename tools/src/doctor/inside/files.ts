// Checks that only one machine uses the files of stores and users.

import { setTimeout as pause } from 'node:timers/promises';
import type { SessionConfig } from '@tollgate/session-service/config.js';
import { parseUsersUrl } from '@tollgate/session-service/directory/users-url.js';
import {
  type EmbeddedStore,
  type FilePlace,
  lookAtPlace,
  otherMachines,
  RENEW_EVERY_MS,
  renewedSince,
  StoreUnavailableError,
} from '@tollgate/shared/store';
import { type Finding, good, problem, warning } from '../report.js';
import type { OpenedStore } from './stores.js';

/** Facts about a file. */
export interface FileFacts {
  /** The variable that names the file, or that has it as its default. */
  readonly variable: string;
  readonly path: string;
  readonly place: FilePlace;
  /** Host names of other machines that use the file now. */
  readonly others: readonly string[];
}

const LOOK_EVERY_MS = 250;

/** Inspects the file of each embedded store, and that of the users. */
export async function probeFiles(
  opened: readonly OpenedStore[],
  { usersUrl }: Pick<SessionConfig, 'usersUrl'>,
  root: string,
): Promise<FileFacts[]> {
  const files: FileFacts[] = [];
  for (const { variable, store } of opened) {
    if (store?.kind !== 'embedded') continue;
    files.push({
      variable,
      path: store.path,
      place: lookAtPlace(store.path),
      others: await hostsOfOthers(store).catch(ignoreUnavailable),
    });
  }
  const users = parseUsersUrl(usersUrl, root);
  if (users.kind === 'embedded') {
    const { path } = users;
    files.push({ variable: 'USERS_URL', path, place: lookAtPlace(path), others: [] });
  }
  return files;
}

/** Another check reports a store that does not respond. */
function ignoreUnavailable(error: unknown): [] {
  if (error instanceof StoreUnavailableError) return [];
  throw error;
}

/** If another machine has an entry, waits for its renewal: it may have ended. */
async function hostsOfOthers(store: EmbeddedStore): Promise<string[]> {
  const before = await otherMachines(store);
  const deadlineMs = performance.now() + RENEW_EVERY_MS + LOOK_EVERY_MS;
  while (before.length > 0) {
    const renewed = renewedSince(before, await otherMachines(store));
    if (renewed.length > 0) return renewed.map(({ host }) => host);
    if (performance.now() > deadlineMs) break;
    await pause(LOOK_EVERY_MS);
  }
  return [];
}

/** A file reachable by another machine, or without its companions beside it, is destroyed by its second writer. */
export function diagnoseFiles(files: readonly FileFacts[]): Finding[] {
  const found = files.flatMap(diagnoseFile);
  if (found.length > 0 || files.length === 0) return found;
  return [
    good('files', 'The files of stores and users are on a local disk, and only this machine uses them.'),
  ];
}

const ELSEWHERE = 'Move it to a local disk. Several machines need Redis, and PostgreSQL for the users.';

function diagnoseFile({ variable, path, place, others }: FileFacts): Finding[] {
  const { network, isFuse, isMountedAlone, hasSecondName } = place;
  const found: Finding[] = [];
  if (others.length > 0) {
    found.push(
      problem(
        'file_shared',
        `Another machine (${others.join(', ')}) uses the file in ${variable}, ${path}: two machines corrupt it.`,
        'Stop the services on one machine at once. Several machines need Redis.',
      ),
    );
  }
  if (network !== undefined) {
    found.push(
      problem(
        'file_on_network',
        `The file in ${variable}, ${path}, is on ${network}, which does not support locks.`,
        ELSEWHERE,
      ),
    );
  }
  if (isFuse) {
    found.push(
      warning(
        'file_on_fuse',
        `The file in ${variable}, ${path}, is on a FUSE file system, which may not support locks.`,
        ELSEWHERE,
      ),
    );
  }
  if (isMountedAlone) {
    found.push(
      problem(
        'file_mounted_alone',
        `The file in ${variable}, ${path}, is mounted without its folder: its -wal and -shm files are not shared.`,
        'Mount the folder: processes that do not share all three files corrupt it.',
      ),
    );
  }
  if (hasSecondName) {
    found.push(
      problem(
        'file_with_two_names',
        `The file in ${variable}, ${path}, has a hard link: its -wal and -shm files are beside only one name.`,
        'Remove the hard link. Use users backup and session backup for copies.',
      ),
    );
  }
  return found;
}
