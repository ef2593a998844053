// The key of this browser for a service: made by WebCrypto, kept in IndexedDB, and readable by no script.

/** A key as it is stored. */
export interface DeviceKey {
  readonly privateKey: CryptoKey;
  /** The public point, base64url. */
  readonly x: string;
  readonly y: string;
  /**
   * Whether it was here while a session was bound to it, or to no key: only then may it be shown to a session of which
   * nothing is known. One that was made for a login that failed might replace a lost key, which would look like a theft.
   */
  readonly isShowable: boolean;
}

/** The keys of one service. Each method rejects where the browser keeps no keys, or IndexedDB fails. */
export interface DeviceKeys {
  /** The stored key; undefined if there is none. */
  find(): Promise<DeviceKey | undefined>;
  /** The stored key, or a new one. Tabs that make one at the same time get the same. */
  findOrMake(): Promise<DeviceKey>;
  /** Makes the key showable, and the key if there is none. */
  prepare(): Promise<void>;
}

const storeName = 'keys';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };

/** @param name the address of the service */
export function openDeviceKeys(name: string): DeviceKeys {
  async function withStore<T>(
    mode: IDBTransactionMode,
    use: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> {
    const opening = indexedDB.open('tollgate', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
    const database = await resultOf(opening);
    try {
      return await resultOf(use(database.transaction(storeName, mode).objectStore(storeName)));
    } finally {
      database.close();
    }
  }

  const find = () => withStore<DeviceKey | undefined>('readonly', (store) => store.get(name));

  async function make(): Promise<DeviceKey> {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign']);
    const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey);
    return { privateKey, x, y, isShowable: false };
  }

  async function findOrMake(): Promise<DeviceKey> {
    const stored = await find();
    if (stored) return stored;
    // Before the transaction, which closes as soon as it has nothing to do.
    const made = await make();
    // Another tab may have been faster: then its key stays, and this fails.
    const error = await withStore('readwrite', (store) => store.add(made, name)).catch((reason) => reason);
    const kept = await find();
    if (!kept) throw error;
    return kept;
  }

  return {
    find,
    findOrMake,
    async prepare() {
      const key = await findOrMake();
      if (key.isShowable) return;
      await withStore('readwrite', (store) => store.put({ ...key, isShowable: true }, name));
    },
  };
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    // Another page has not closed an older version.
    if ('onblocked' in request) request.onblocked = () => reject(request.error);
  });
}
