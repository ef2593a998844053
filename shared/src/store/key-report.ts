// Reports the keys of this node at its start, every hour, and at its end.

import { randomAlphanumerics } from '../crypto/random-text.js';
import { type NodeKeys, openKeyRecord, REPORT_EVERY_MS } from './key-record.js';
import type { Store } from './open-store.js';

/** The part of a logger that this file uses. */
export interface KeyReportLog {
  warn(about: object, message: string): void;
}

const RETRY_MS = 10_000;

/** Begins to report; a report that fails is repeated after ten seconds. Stop it before the store is closed. */
export function reportKeys(store: Store, keys: NodeKeys, log: KeyReportLog): { stop(): Promise<void> } {
  const record = openKeyRecord(store);
  const node = randomAlphanumerics(12);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const report = async (): Promise<void> => {
    let nextMs = REPORT_EVERY_MS;
    try {
      await record.report(node, keys, true);
    } catch (error) {
      nextMs = RETRY_MS;
      log.warn({ err: error }, 'the keys of this node could not be reported');
    }
    if (!stopped) timer = setTimeout(next, nextMs).unref();
  };
  let reporting: Promise<void> = Promise.resolve();
  function next(): void {
    reporting = report();
  }
  // A client that is still connecting would refuse the first report.
  const client = store.kind === 'redis' && store.client.status !== 'ready' ? store.client : undefined;
  if (client === undefined) next();
  else client.once('ready', next);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      client?.off('ready', next);
      await reporting;
      // A node that could not say so is taken for gone once it has been silent.
      await record.report(node, keys, false).catch(() => {});
    },
  };
}
