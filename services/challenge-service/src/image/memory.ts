// Memory that one image after another is drawn in: to make it anew for each, and to free it, costs more than to clear it.

const kept = new Map<string, Uint8Array>();

/**
 * `length` bytes of 0, the caller's until the next call with the same `use`. Drawing an image never waits, so no other image is drawn until it is done.
 *
 * @param use what the bytes are for; each use has bytes of its own
 */
export function reuseBytes(use: string, length: number): Uint8Array {
  const before = kept.get(use);
  if (before?.length === length) return before.fill(0);
  const bytes = new Uint8Array(length);
  kept.set(use, bytes);
  return bytes;
}
