// Closes a program's resources after it, whether it ends or throws.

export interface Closable {
  close(): unknown;
}

/** Resolves with the opened resource; it is closed after the program. */
export type Open = <T extends Closable>(opening: T | Promise<T>) => Promise<T>;

/** Calls `use`, then closes all opened resources, the last first. */
export async function closeAfter<T>(use: (open: Open) => Promise<T>): Promise<T> {
  const opened: Closable[] = [];
  try {
    return await use(async (opening) => {
      const thing = await opening;
      opened.unshift(thing);
      return thing;
    });
  } finally {
    for (const thing of opened) await thing.close();
  }
}
