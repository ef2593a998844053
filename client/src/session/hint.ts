// Remembers in this browser that somebody may be signed in. The hint holds no secret; without it a page sends no request.

export interface Hint {
  set(isSignedIn: boolean): void;
  /** Also true where the browser keeps no storage, because nothing is known then. */
  mayBeSignedIn(): boolean;
}

/** @param openStorage throws or returns undefined where the browser has no storage for this page */
export function openHint(openStorage: () => Storage | undefined, key: string): Hint {
  function tryStorage<T>(use: (storage: Storage) => T): T | undefined {
    try {
      const storage = openStorage();
      return storage && use(storage);
    } catch {
      return undefined;
    }
  }

  return {
    set(isSignedIn) {
      tryStorage((storage) => (isSignedIn ? storage.setItem(key, 'signed-in') : storage.removeItem(key)));
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
  };
}
