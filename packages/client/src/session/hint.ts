// Remembers in this browser that somebody may be signed in, or that a logout is pending. It holds no secret.

/** `logout`: a logout was requested, and the server has not confirmed it. */
export type Remembered = 'signed-in' | 'logout';

export interface Hint {
  /** @param value null if nobody is signed in */
  set(value: Remembered | null): void;
  /** Also true where the browser keeps no storage, because nothing is known then. */
  mayBeSignedIn(): boolean;
  /** Where the browser keeps no storage, only the page that requested the logout knows. */
  isLogoutPending(): boolean;
}

/** @param openStorage throws or returns undefined where the browser has no storage for this page */
export function openHint(openStorage: () => Storage | undefined, key: string): Hint {
  /** Whether a logout is pending that could not be stored. */
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
      const isSaved = tryStorage((storage) => {
        if (value === null) storage.removeItem(key);
        else storage.setItem(key, value);
        return true;
      });
      isLogoutUnsaved = value === 'logout' && !isSaved;
    },
    mayBeSignedIn: () =>
      tryStorage((storage) => {
        if (storage.getItem(key)) return true;
        // A full storage would have lost the hint. The probe has another key, because a tab may set the hint meanwhile.
        const probe = `${key}?`;
        storage.setItem(probe, '?');
        storage.removeItem(probe);
        return false;
      }) ?? true,
    isLogoutPending: () =>
      isLogoutUnsaved || tryStorage((storage) => storage.getItem(key) === 'logout') === true,
  };
}
