// Contrast inversion: ink and background swap on one side of a wavy line across the image, so that letters are dark on light
// on one side and light on dark on the other. People read across the line; a program that expects either loses half of each
// letter.

import type { ImagePreset } from '../presets/preset.js';
import type { Generator } from './generator.js';
import { type Plane, TOGETHER } from './plane.js';
import { ALL_QUARTERS, LOWER_LEFT, LOWER_RIGHT, UPPER_LEFT, UPPER_RIGHT } from './quarters.js';
import { sine, TURN } from './sine.js';

/** Inverts the quarters of pixels on one side of the line, above or below it. */
export function invertContrast(
  { width, height, stride, values }: Plane,
  { counterchange_px, counterchange_wavelength_px }: ImagePreset['picture'],
  generator: Generator,
): void {
  const middle = generator.between(height * 120, height * 136);
  const phase = generator.below(TURN);
  const pace = Math.floor((TURN * 64 * 100) / (counterchange_wavelength_px * generator.between(80, 120)));
  const isAbove = generator.below(2) === 1;
  // Returns only after the random choices, so that an image without the line is otherwise the same.
  if (counterchange_px === 0) return;
  // The line in each half of a column, in half rows.
  const line = new Int32Array(2 * width);
  let highest = height;
  let lowest = 0;
  for (let half = 0; half < line.length; half++) {
    const halfRow = (middle + ((sine(phase + ((half * pace) >> 7)) * (counterchange_px << 8)) >> 14)) >> 7;
    line[half] = halfRow;
    highest = Math.min(highest, halfRow >> 1);
    lowest = Math.max(lowest, halfRow >> 1);
  }
  for (let x = 0; x < width; x++) {
    const left = line[2 * x]!;
    const right = line[2 * x + 1]!;
    const crossedFirst = Math.min(left, right) >> 1;
    const crossedLast = Math.max(left, right) >> 1;
    let pixel = (highest + 1) * stride + x;
    let y = highest;
    if (isAbove) for (; y < crossedFirst; y++, pixel += stride) values[pixel]! ^= ALL_QUARTERS;
    else {
      pixel += (crossedFirst - y) * stride;
      y = crossedFirst;
    }
    for (; y <= crossedLast; y++, pixel += stride) {
      const upper = 2 * y;
      // A difference below zero has its highest bit set: that quarter lies above the line.
      const above =
        ((upper - left) >>> 31) * UPPER_LEFT +
        ((upper - right) >>> 31) * UPPER_RIGHT +
        ((upper + 1 - left) >>> 31) * LOWER_LEFT +
        ((upper + 1 - right) >>> 31) * LOWER_RIGHT;
      values[pixel]! ^= isAbove ? above : ALL_QUARTERS - above;
    }
    if (!isAbove) for (; y <= lowest; y++, pixel += stride) values[pixel]! ^= ALL_QUARTERS;
  }
  const [first, last] = isAbove ? [0, highest] : [lowest + 1, height];
  invertRows(values, (first + 1) * stride, (last + 1) * stride);
}

function invertRows(values: Uint8Array, from: number, to: number): void {
  const fours = new Int32Array(values.buffer);
  for (let four = from / TOGETHER; four < to / TOGETHER; four++) fours[four]! ^= 0x01010101 * ALL_QUARTERS;
}
