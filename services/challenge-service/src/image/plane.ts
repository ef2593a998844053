// A value for each pixel of an image, with a border about them, so that what looks at neighbours needs no exception at the edges.
import { reuseBytes } from './memory.js';

/** Pixels that can be looked at as one number of 32 bits. */
export const TOGETHER = 4;

export type Plane = {
  readonly width: number;
  readonly height: number;
  /** Values from a pixel to the one below; a multiple of `TOGETHER`, and more than the width. */
  readonly stride: number;
  /** The pixel `x`, `y` is at `(y + 1) * stride + x`; the border is 0. */
  readonly values: Uint8Array;
};

/** A plane of nothing but 0. @param use as for `reuseBytes`, which its values are from */
export function createPlane(use: string, width: number, height: number): Plane {
  const stride = Math.ceil((width + 1) / TOGETHER) * TOGETHER;
  return { width, height, stride, values: reuseBytes(use, stride * (height + 2) + TOGETHER) };
}
