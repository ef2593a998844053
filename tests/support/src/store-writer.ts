// Writes to an embedded store, and acknowledges each commit on descriptor 3: `store-writer.js PATH NAME [PAUSE_MS]`.

import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openEmbeddedStore } from '@tollgate/shared/store';

/** Concurrent steps. */
const AT_ONCE = 8;
const LIFETIME_MS = 3_600_000;

const [, , path = '', name = '', pauseMs] = process.argv;
const store = openEmbeddedStore(path);

process.on('message', (way) => {
  if (way === 'exit') process.exit(3);
  throw new Error('planned');
});
process.on('disconnect', () => process.exit());

let acknowledged = 0;

async function writeForEver(): Promise<void> {
  for (;;) {
    const number = await store.transact((transaction) => {
      const next = Number(transaction.get(name) ?? 0) + 1;
      transaction.put(name, String(next), transaction.nowMs + LIFETIME_MS);
      // More than one page, so that a torn commit would show.
      transaction.put(`${name} ${next % 50}`, 'x'.repeat(500), transaction.nowMs + LIFETIME_MS);
      return next;
    });
    if (number > acknowledged) {
      acknowledged = number;
      writeSync(3, `${number}\n`);
    }
    if (pauseMs !== undefined) await pause(Number(pauseMs));
  }
}
for (let at = 0; at < AT_ONCE; at++) void writeForEver();
