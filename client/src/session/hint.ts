// Remembers in this browser that somebody may be signed in: a mark without a secret. Where there is none, a page asks nothing.

export interface Hint {
  note(isSignedIn: boolean): void;
  /** True as well when the browser keeps no marks, for then nothing is known. */
  mayBeSignedIn(): boolean;
}

/** @param openStorage throws, or gives nothing, where the browser has no storage for this page */
export function openHint(openStorage: () => Storage | undefined, key: string): Hint {
  function attempt<T>(work: (storage: Storage) => T): T | undefined {
    try {
      const storage = openStorage();
      return storage && work(storage);
    } catch {
      return undefined;
    }
  }

  return {
    note(isSignedIn) {
      attempt((storage) => (isSignedIn ? storage.setItem(key, 'signed-in') : storage.removeItem(key)));
    },
    mayBeSignedIn: () =>
      attempt((storage) => {
        if (storage.getItem(key)) return true;
        // A storage that is full would not have kept the mark. Under another key, for another tab may be setting it.
        const probe = `${key}?`;
        storage.setItem(probe, '?');
        storage.removeItem(probe);
        return false;
      }) ?? true,
  };
}
