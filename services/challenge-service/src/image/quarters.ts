// Computes which quarters of each pixel are ink, by interpolating the field between pixels: twice their resolution.
import { createPlane, type Plane, reuseBytes, TOGETHER } from './plane.js';

/** The quarters of a pixel as bits. */
export const UPPER_LEFT = 8;
export const UPPER_RIGHT = 4;
export const LOWER_LEFT = 2;
export const LOWER_RIGHT = 1;
export const ALL_QUARTERS = 15;

const IS_LITTLE_ENDIAN = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;
/** A factor that gathers the lowest bits of four bytes in the highest four bits, that of the first byte lowest. */
const GATHER = IS_LITTLE_ENDIAN ? 0x10204080 : 0x80402010 | 0;
const BITS = 32;

/** Returns the inked quarters of each pixel of a distance field. */
export function quarterPixels(field: Plane): Plane {
  const quarters = createPlane('quarters', field.width, field.height);
  const across = Math.ceil(field.stride / BITS) + 2;
  const { values } = quarters;
  const inked = findInk(field, quarters, across);
  // Interpolates only where neighbouring pixels differ; elsewhere all four quarters are as the pixel is.
  for (let y = 1; y <= field.height; y++) {
    const row = y * across + 1;
    let first = y * field.stride;
    // For the previous word and this one: ink in any of the three rows, and in all of them.
    let someBefore = 0;
    let allBefore = 0;
    let some = inked[row]! | inked[row - across]! | inked[row + across]!;
    let all = inked[row]! & inked[row - across]! & inked[row + across]!;
    for (let after = row + 1; after < row + across - 1; after++) {
      const here = inked[after]!;
      const above = inked[after - across]!;
      const below = inked[after + across]!;
      const someAfter = here | above | below;
      const allAfter = here & above & below;
      const wide = some | (some << 1) | (some >>> 1) | (someBefore >>> 31) | (someAfter << 31);
      const narrow = all & ((all << 1) | (allBefore >>> 31)) & ((all >>> 1) | (allAfter << 31));
      for (let edge = wide & ~narrow; edge !== 0; edge &= edge - 1) {
        const pixel = first + 31 - Math.clz32(edge & -edge);
        values[pixel] = quartersAt(field.values, pixel, field.stride);
      }
      someBefore = some;
      allBefore = all;
      some = someAfter;
      all = allAfter;
      first += BITS;
    }
  }
  return quarters;
}

/**
 * Returns which pixels are ink, one bit each, with a border of one word on all sides, and sets all quarters of those that
 * are.
 */
function findInk({ stride, height, values }: Plane, quarters: Plane, across: number): Int32Array {
  const inked = new Int32Array(reuseBytes('inked', across * (height + 2) * 4).buffer);
  const from = new Int32Array(values.buffer);
  const to = new Int32Array(quarters.values.buffer);
  const fours = stride / TOGETHER;
  for (let y = 1; y <= height; y++) {
    for (let four = 0; four < fours; four++) {
      // The bit of `EDGE` in each of the four.
      const ink = (from[y * fours + four]! >>> 7) & 0x01010101;
      if (ink === 0) continue;
      to[y * fours + four] = ink * ALL_QUARTERS;
      const word = y * across + 1 + (four >> 3);
      inked[word] = inked[word]! | ((Math.imul(ink, GATHER) >>> 28) << ((four & 7) * TOGETHER));
    }
  }
  return inked;
}

/**
 * Interpolates linearly between the centres of the pixels: the centre of a quarter is 3/4 of its own pixel and 1/4 of the
 * next. Each sum is below 4,096, so its bit 11 tells whether it reaches 16 times `EDGE`.
 */
function quartersAt(field: Uint8Array, at: number, stride: number): number {
  const middle = 9 * field[at]!;
  const toLeft = middle + 3 * field[at - 1]!;
  const toRight = middle + 3 * field[at + 1]!;
  const above = at - stride;
  const below = at + stride;
  const up = 3 * field[above]!;
  const down = 3 * field[below]!;
  return (
    (((toLeft + up + field[above - 1]!) >> 8) & UPPER_LEFT) |
    (((toRight + up + field[above + 1]!) >> 9) & UPPER_RIGHT) |
    (((toLeft + down + field[below - 1]!) >> 10) & LOWER_LEFT) |
    ((toRight + down + field[below + 1]!) >> 11)
  );
}
