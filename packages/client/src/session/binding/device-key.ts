// This browser's key for a service: made by WebCrypto, kept in IndexedDB, not extractable by scripts.

/** Stored key. */
export interface DeviceKey {
  readonly privateKey: CryptoKey;
  /** Public point, base64url. */
  readonly x: string;
  readonly y: string;
  /**
   * Whether the key existed while a session was bound to it, or to no key. Only such a key may be used for a session with an
   * unknown binding: a key made for a failed login might replace a lost key, which would look like theft.
   */
  readonly isShowable: boolean;
}

/** Keys of one service. Each method rejects if the browser stores no keys or IndexedDB fails. */
interface DeviceKeys {
  /** Returns the stored key; undefined if there is none. */
  find(): Promise<DeviceKey | undefined>;
  /** Returns the stored key, or a new one. Concurrent tabs get the same key. */
  findOrMake(): Promise<DeviceKey>;
  /** Marks the key as showable; makes one if there is none. */
  prepare(): Promise<void>;
  /** Stores a new showable key in place of any other. @param signal prevents it before it has begun */
  replace(signal: AbortSignal): Promise<void>;
  /** Removes this key, but not a later one. @param signal prevents it before it has begun */
  remove(key: DeviceKey, signal: AbortSignal): Promise<void>;
}

const storeName = 'keys';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };

/** @param name service address */
export function openDeviceKeys(name: string): DeviceKeys {
  async function withStore<T>(
    mode: IDBTransactionMode,
    use: (store: IDBObjectStore) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const opening = indexedDB.open('tollgate', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
    const database = await resultOf(opening);
    try {
      signal?.throwIfAborted();
      return await use(database.transaction(storeName, mode).objectStore(storeName));
    } finally {
      database.close();
    }
  }

  const read = (store: IDBObjectStore) => resultOf<DeviceKey | undefined>(store.get(name));

  const put = (key: DeviceKey, signal?: AbortSignal) =>
    withStore('readwrite', (store) => resultOf(store.put({ ...key, isShowable: true }, name)), signal);

  const find = () => withStore('readonly', read);

  async function make(): Promise<DeviceKey> {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign']);
    const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey);
    return { privateKey, x, y, isShowable: false };
  }

  async function findOrMake(): Promise<DeviceKey> {
    const stored = await find();
    if (stored) return stored;
    // Before the transaction, which closes as soon as it is idle.
    const made = await make();
    // Fails if another tab was faster: its key stays.
    const error = await withStore('readwrite', (store) => resultOf(store.add(made, name))).catch(
      (reason) => reason,
    );
    const kept = await find();
    if (!kept) throw error;
    return kept;
  }

  return {
    find,
    findOrMake,
    async prepare() {
      const key = await findOrMake();
      if (!key.isShowable) await put(key);
    },
    async replace(signal) {
      await put(await make(), signal);
    },
    remove: ({ x }, signal) =>
      withStore(
        'readwrite',
        async (store) => {
          if ((await read(store))?.x === x) await resultOf(store.delete(name));
        },
        signal,
      ),
  };
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    // Another page still has an older version open.
    if ('onblocked' in request) request.onblocked = () => reject(request.error);
  });
}
