// Reports the keys of this node when it starts, every hour, when a lost connection is restored, and when it stops.

import { randomAlphanumerics } from '../crypto/random.js';
import type { Store } from '../store/open-store.js';
import { startPeriodicTask } from '../store/periodic-task.js';
import { type NodeKeys, openKeyRecord, REPORT_EVERY_MS } from './key-record.js';

/** The part of a logger that this file uses. */
export interface KeyReportLog {
  warn(about: object, message: string): void;
}

/** Starts reporting and retries a failed report after ten seconds. Stop it before you close the store. */
export function reportKeys(store: Store, keys: NodeKeys, log: KeyReportLog): { stop(): Promise<void> } {
  const record = openKeyRecord(store);
  const node = randomAlphanumerics(12);
  const task = startPeriodicTask(store, () => record.report(node, keys, true), {
    everyMs: REPORT_EVERY_MS,
    afterReconnect: true,
    onFailure: (error) => log.warn({ err: error }, 'the keys of this node could not be reported'),
  });
  return {
    async stop() {
      await task.stop();
      // A node that cannot report its end counts as gone after its silence.
      await record.report(node, keys, false).catch(() => {});
    },
  };
}
