// Increments a number in an embedded store: `increment.js PATH TIMES`.

import { openEmbeddedStore } from '../../../src/store/embedded-store.js';

const [, , path = '', times = '0'] = process.argv;
const store = openEmbeddedStore(path);
await Promise.all(
  Array.from({ length: Number(times) }, () =>
    store.transact((transaction) => {
      const count = Number(transaction.get('count') ?? 0) + 1;
      transaction.put('count', String(count), transaction.nowMs + 60_000);
    }),
  ),
);
await store.close();
