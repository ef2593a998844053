// Writes to the store of a URL, reads from it on both connections, and prints the values, or why it cannot be used:
// `try-store.js URL`.

import { openStore, waitForStore } from '../../../src/store/open-store.js';
import { openReader } from '../../../src/store/redis-connection.js';
import { watchStore } from '../../../src/store/watch/store-watch.js';

const [, , url = ''] = process.argv;
const store = openStore(url, '.');
const warn = (about: object) => {
  if (!('cause' in about)) return;
  console.log(about.cause);
  process.exit();
};
const watch = watchStore(store, { variable: 'STORE_URL', holds: [], log: { info: () => {}, warn } });
if (store.kind === 'redis' && (await waitForStore(store, 20_000))) {
  await store.exchange('key', 'value', 60_000);
  const reader = await openReader(store.client, 1000);
  console.log(await store.read('key'), await reader.get('key'));
  reader.disconnect();
}
await watch.stop();
await store.close();
