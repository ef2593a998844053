// A set of listeners, none of which can stop the others or whoever tells them.

export interface Listeners<Told extends unknown[]> {
  /** @returns ends it */
  add(listener: (...told: Told) => void): () => void;
  tell(...told: Told): void;
  clear(): void;
}

export function createListeners<Told extends unknown[]>(): Listeners<Told> {
  const all = new Set<{ listener: (...told: Told) => void }>();
  return {
    add(listener) {
      const entry = { listener };
      all.add(entry);
      return () => void all.delete(entry);
    },
    tell(...told) {
      for (const { listener } of [...all]) tellOne(listener, ...told);
    },
    clear: () => all.clear(),
  };
}

/** What the listener throws is an error of the page, not of the caller. */
export function tellOne<Told extends unknown[]>(
  listener: ((...told: Told) => void) | undefined,
  ...told: Told
): void {
  try {
    listener?.(...told);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
