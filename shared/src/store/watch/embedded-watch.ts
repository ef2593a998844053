// Watches an embedded store: who may read its files, and whether another machine uses them.

import type { EmbeddedStore } from '../embedded-store.js';
import { startPeriodicTask } from '../periodic-task.js';
import { filesOpenToOthers } from '../private-file.js';
import type { StoreLog } from './failure-log.js';
import { lookAtPlace } from './file-place.js';
import {
  type MachineEntry,
  machineId,
  otherMachines,
  RENEW_EVERY_MS,
  recordMachine,
  renewedSince,
} from './machines.js';

/**
 * Warns of what is wrong with the file, once, and of another machine each time one comes.
 * @param isUser whether this process uses the store, and so records its machine there
 * @param renewEveryMs pause between two looks at the record, in milliseconds
 */
export function watchEmbedded(
  store: EmbeddedStore,
  { log, isUser }: { readonly log: StoreLog; readonly isUser: boolean },
  renewEveryMs = RENEW_EVERY_MS,
): { stop(): Promise<void> } {
  for (const path of filesOpenToOthers(store.path)) {
    log.warn({ path }, 'other users of this machine may read this file of the store: it needs mode 0600');
  }
  const { network } = lookAtPlace(store.path);
  if (network !== undefined) {
    log.warn({ path: store.path }, `the store is a file on ${network}: it needs a disk of this machine`);
  }
  const own = machineId();
  if (!isUser || own === undefined) return { async stop() {} };
  let before: readonly MachineEntry[] = [];
  const told = new Set<string>();
  return startPeriodicTask(
    store,
    async () => {
      await recordMachine(store, own);
      const now = await otherMachines(store);
      for (const { id, host } of renewedSince(before, now)) {
        if (!told.has(id)) {
          log.warn(
            { path: store.path, host },
            'another machine uses the file of this store, which destroys it: several machines need Redis',
          );
        }
        told.add(id);
      }
      before = now;
    },
    // Whoever uses the store reports that it does not answer.
    { everyMs: renewEveryMs, onFailure: () => {} },
  );
}
