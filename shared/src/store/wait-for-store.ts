// Waits until a store is connected.

import type { Store } from './open-store.js';

/**
 * Whether the store is connected within the time: a client of ours refuses commands before it is. An embedded store
 * always is.
 */
export async function waitForStore(store: Store, limitMs: number): Promise<boolean> {
  if (store.kind !== 'redis' || store.client.status === 'ready') return true;
  const { client } = store;
  return new Promise<boolean>((resolve) => {
    const end = (isReady: boolean) => {
      clearTimeout(late);
      client.off('ready', connected);
      resolve(isReady);
    };
    const connected = () => end(true);
    const late = setTimeout(() => end(false), limitMs);
    client.once('ready', connected);
  });
}
