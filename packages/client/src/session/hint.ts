// Login hint in this browser: a user may be logged in, or a logout is pending. It holds no secret.

/** `logout`: a requested logout that the server has not confirmed. */
type Remembered = 'signed-in' | 'logout';

interface Hint {
  /** @param value null if no user is logged in */
  set(value: Remembered | null): void;
  /** Also true without storage, where the state is unknown. */
  mayBeSignedIn(): boolean;
  /** If it is not stored, only the open pages know. */
  isLogoutPending(): boolean;
}

/**
 * @param openStorage throws or returns undefined if the browser has no storage for this page
 * @param storesLogout whether other pages are to complete a pending logout
 */
export function openHint(openStorage: () => Storage | undefined, key: string, storesLogout: boolean): Hint {
  /** Whether a pending logout is not stored. */
  let isLogoutUnsaved = false;

  function tryStorage<T>(use: (storage: Storage) => T): T | undefined {
    try {
      const storage = openStorage();
      return storage && use(storage);
    } catch {
      return undefined;
    }
  }

  return {
    set(value) {
      const stored = value === 'logout' && !storesLogout ? null : value;
      const saved = tryStorage((storage) => {
        if (stored === null) storage.removeItem(key);
        else storage.setItem(key, stored);
        return stored;
      });
      isLogoutUnsaved = value === 'logout' && saved !== value;
    },
    mayBeSignedIn: () =>
      tryStorage((storage) => {
        if (storage.getItem(key)) return true;
        // Full storage would have lost the hint. The probe has another key, because a tab may set the hint in between.
        const probe = `${key}?`;
        storage.setItem(probe, '?');
        storage.removeItem(probe);
        return false;
      }) ?? true,
    isLogoutPending: () =>
      isLogoutUnsaved || tryStorage((storage) => storage.getItem(key) === 'logout') === true,
  };
}
