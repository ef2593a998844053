// Reports the keys of this node at its start, every hour, when a lost store is back, and at its end.

import { randomAlphanumerics } from '../crypto/random.js';
import type { Store } from '../store/open-store.js';
import { startPeriodicTask } from '../store/periodic-task.js';
import { type NodeKeys, openKeyRecord, REPORT_EVERY_MS } from './key-record.js';

/** The part of a logger that this file uses. */
export interface KeyReportLog {
  warn(about: object, message: string): void;
}

/** Begins to report; a report that fails is repeated after ten seconds. Stop it before the store is closed. */
export function reportKeys(store: Store, keys: NodeKeys, log: KeyReportLog): { stop(): Promise<void> } {
  const record = openKeyRecord(store);
  const node = randomAlphanumerics(12);
  const rounds = startPeriodicTask(store, () => record.report(node, keys, true), {
    everyMs: REPORT_EVERY_MS,
    afterReconnect: true,
    onFailure: (error) => log.warn({ err: error }, 'the keys of this node could not be reported'),
  });
  return {
    async stop() {
      await rounds.stop();
      // A node that could not say so is taken for gone once it has been silent.
      await record.report(node, keys, false).catch(() => {});
    },
  };
}
