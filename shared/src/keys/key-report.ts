// Reports the keys of this node when it starts, every hour, when a lost connection is restored, and when it stops.

import { hostname } from 'node:os';
import { randomAlphanumerics } from '../crypto/random.js';
import type { Store } from '../store/open-store.js';
import { startPeriodicTask } from '../store/periodic-task.js';
import {
  type NodeKeys,
  openKeyRecord,
  type ProcessState,
  REPORT_EVERY_MS,
  SEEN_EVERY_MS,
} from './key-record.js';

/** The part of a logger that this file uses. */
export interface KeyReportLog {
  warn(about: object, message: string): void;
}

/** The reported settings of a service process, so that differences can be found. */
export interface ReportedService {
  readonly trustProxy: readonly string[] | undefined;
}

/**
 * Starts reporting and retries a failed report after ten seconds. Stop it before you close the store.
 * @param service only for services: the process reports its state every five seconds
 */
export function reportKeys(
  store: Store,
  keys: NodeKeys,
  log: KeyReportLog,
  service?: ReportedService,
): { stop(): Promise<void> } {
  const record = openKeyRecord(store);
  const node = randomAlphanumerics(12);
  const task = startPeriodicTask(store, () => record.report(node, keys, true), {
    everyMs: REPORT_EVERY_MS,
    afterReconnect: true,
    onFailure: (error) => log.warn({ err: error }, 'the keys of this node could not be reported'),
  });
  const seen = service && reportState(store, (state) => record.see(node, state), service);
  return {
    async stop() {
      await seen?.stop();
      await task.stop();
      // A node that cannot report its end counts as gone after its silence.
      await record.report(node, keys, false).catch(() => {});
    },
  };
}

function reportState(
  store: Store,
  see: (state: ProcessState) => Promise<void>,
  { trustProxy = [] }: ReportedService,
): { stop(): Promise<void> } {
  const place = `${hostname()}, process ${process.pid}`;
  const hasTrustProxy = trustProxy.length > 0;
  return startPeriodicTask(store, () => see({ clockMs: Date.now(), hasTrustProxy, place }), {
    everyMs: SEEN_EVERY_MS,
    afterReconnect: true,
    // The report of the keys reports an unresponsive store.
    onFailure() {},
  });
}
