// The memory that images are drawn in: planes with a value for each pixel, kept and cleared instead of allocated for each
// image.

/** Pixels that can be read as one number of 32 bits. */
export const TOGETHER = 4;

/** A value for each pixel, with a border around them, so that code that reads neighbours needs no exception at the edges. */
export type Plane = {
  readonly width: number;
  readonly height: number;
  /** Values from a pixel to the one below it; a multiple of `TOGETHER`, and more than the width. */
  readonly stride: number;
  /** The pixel `x`, `y` is at `(y + 1) * stride + x`; the border is 0. */
  readonly values: Uint8Array;
};

/** Creates a plane filled with 0. @param use as for `reuseBytes`, which provides its values */
export function createPlane(use: string, width: number, height: number): Plane {
  const stride = Math.ceil((width + 1) / TOGETHER) * TOGETHER;
  return { width, height, stride, values: reuseBytes(use, stride * (height + 2) + TOGETHER) };
}

const kept = new Map<string, Uint8Array>();

/**
 * Returns `length` bytes of 0, owned by the caller until the next call with the same `use`. Drawing is synchronous, so no
 * other image uses them meanwhile. Clearing memory costs less than allocating and freeing it for each image.
 *
 * @param use purpose of the bytes; each use has its own bytes
 */
export function reuseBytes(use: string, length: number): Uint8Array {
  const before = kept.get(use);
  if (before?.length === length) return before.fill(0);
  const bytes = new Uint8Array(length);
  kept.set(use, bytes);
  return bytes;
}
