// Tabs of one browser for sessions in Node: a lock queue, connected channels, and a storage.
import type { Environment } from '../../src/session/environment.js';

interface Tabs {
  readonly locks: LockManager;
  readonly openChannel: Environment['openChannel'];
  /** All messages between tabs. */
  readonly messages: readonly unknown[];
  readonly openChannels: number;
}

export function openTabs(): Tabs {
  const messages: unknown[] = [];
  const channels = new Set<BroadcastChannel>();
  let last: Promise<unknown> = Promise.resolve();

  const request = (_name: string, { signal }: LockOptions, work: () => Promise<unknown>) => {
    const before = last;
    const granted = new Promise<void>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      void before.then(() => resolve());
    });
    const done = granted.then(work);
    last = Promise.all([before, done.catch(() => {})]);
    return done;
  };

  return {
    locks: { request } as unknown as LockManager,
    openChannel(name) {
      const channel = new BroadcastChannel(name);
      const open = {
        onmessage: null as ((event: MessageEvent) => void) | null,
        postMessage(message: unknown) {
          messages.push(message);
          channel.postMessage(message);
        },
        close() {
          channels.delete(channel);
          channel.close();
        },
      };
      channel.onmessage = (event) => open.onmessage?.(event as MessageEvent);
      channels.add(channel);
      return open as unknown as BroadcastChannel;
    },
    messages,
    get openChannels() {
      return channels.size;
    },
  };
}

/** Browser storage, shared by all tabs. */
export function createStorage(): Storage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
    getItem: (key) => items.get(key) ?? null,
    key: (at) => [...items.keys()][at] ?? null,
    removeItem: (key) => void items.delete(key),
    setItem: (key, value) => void items.set(key, value),
  };
}

/** Opens the same storage each time. */
export function createBrowserStorage(): () => Storage {
  const storage = createStorage();
  return () => storage;
}
