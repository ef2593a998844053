// Set of listeners. An error in one of them stops neither the others nor the caller.

export interface Listeners<Arguments extends unknown[]> {
  /** @returns a function that removes the listener */
  add(listener: (...values: Arguments) => void): () => void;
  notify(...values: Arguments): void;
  clear(): void;
}

export function createListeners<Arguments extends unknown[]>(): Listeners<Arguments> {
  const all = new Set<{ listener: (...values: Arguments) => void }>();
  return {
    add(listener) {
      const entry = { listener };
      all.add(entry);
      return () => void all.delete(entry);
    },
    notify(...values) {
      for (const { listener } of [...all]) notifyListener(listener, ...values);
    },
    clear: () => all.clear(),
  };
}

/** Reports errors of the listener as uncaught errors of the page. */
export function notifyListener<Arguments extends unknown[]>(
  listener: ((...values: Arguments) => void) | undefined,
  ...values: Arguments
): void {
  try {
    listener?.(...values);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
