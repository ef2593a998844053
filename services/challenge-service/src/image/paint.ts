// Turns quarters of pixels and their colours into the rows of a PNG: one pixel for each quarter, or one shaded pixel for all
// four.

import type { ImagePreset } from '../presets/preset.js';
import { channels } from './colours.js';
import { type Plane, reuseBytes } from './plane.js';
import { FILTER_UP, type IndexedImage } from './png.js';
import { LOWER_LEFT, LOWER_RIGHT, UPPER_LEFT, UPPER_RIGHT } from './quarters.js';

type Palette = ImagePreset['picture']['palettes'][number];

/**
 * The quarters of a pixel as four pixels of two bits, the upper two in the high byte, the lower two in the low byte.
 * Multiplied by a palette entry, the inked ones become that entry.
 */
const SPREAD = Uint16Array.from({ length: 16 }, (_, quarters) => {
  const ink = (bit: number, place: number) => (quarters & bit ? 1 << place : 0);
  return ink(UPPER_LEFT, 10) + ink(UPPER_RIGHT, 8) + ink(LOWER_LEFT, 2) + ink(LOWER_RIGHT, 0);
});

/** Paints at twice the width and height, without shades: background and up to three letter colours, two bits per pixel. */
export function paintSharp(
  { width, height, stride, values: quarters }: Plane,
  { values: colours }: Plane,
  palette: Palette,
): IndexedImage {
  const rowBytes = 1 + ((width + 1) >> 1);
  const rows = reuseBytes('rows', 2 * height * rowBytes);
  const lowest = reuseBytes('lowest row', rowBytes);
  for (let y = 0; y < height; y++) {
    let upper = 2 * y * rowBytes;
    let lower = upper + rowBytes;
    rows[upper] = FILTER_UP;
    rows[lower] = FILTER_UP;
    const row = (y + 1) * stride;
    // After an odd width comes the border, which has no ink.
    for (let pixel = row, column = 0; pixel < row + width; pixel += 2, column++) {
      const first = SPREAD[quarters[pixel]!]! * (colours[pixel]! + 1);
      const second = SPREAD[quarters[pixel + 1]!]! * (colours[pixel + 1]! + 1);
      const both = (first << 4) | second;
      const above = both >> 8;
      rows[++upper] = above - lowest[column]!;
      rows[++lower] = both - above;
      lowest[column] = both;
    }
  }
  const bytes = [palette.background, ...palette.letters].flatMap(channels);
  return { width: 2 * width, height: 2 * height, bits: 2, rows, palette: Uint8Array.from(bytes) };
}

/** Shades of each letter colour: one for each number of inked quarters. */
const SHADES = 4;
const INK_QUARTERS = Uint8Array.from({ length: 16 }, (_, bits) =>
  [8, 4, 2, 1].reduce((count, bit) => count + (bits & bit ? 1 : 0), 0),
);

/** Paints one pixel for each pixel, shaded by the number of its inked quarters, four bits per pixel. */
export function paintSmooth(
  { width, height, stride, values: quarters }: Plane,
  { values: colours }: Plane,
  palette: Palette,
): IndexedImage {
  const rowBytes = 1 + ((width + 1) >> 1);
  const rows = reuseBytes('rows', height * rowBytes);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const pixel = (y + 1) * stride + x;
      const shade = INK_QUARTERS[quarters[pixel]!]!;
      const entry = shade === 0 ? 0 : colours[pixel]! * SHADES + shade;
      rows[y * rowBytes + 1 + (x >> 1)]! |= x & 1 ? entry : entry << 4;
    }
  }
  filterRows(rows, rowBytes);
  return { width, height, bits: 4, rows, palette: shadePalette(palette) };
}

/** Works from the last row upwards, since each row needs the original of the row above. */
function filterRows(rows: Uint8Array, rowBytes: number): void {
  for (let at = rows.length - 1; at >= rowBytes; at--) rows[at]! -= rows[at - rowBytes]!;
  for (let row = 0; row < rows.length; row += rowBytes) rows[row] = FILTER_UP;
}

/** Returns red, green and blue of the background, then of the shades of each letter colour. */
function shadePalette({ background, letters }: Palette): Uint8Array {
  const paper = channels(background);
  const bytes = [...paper];
  for (const letter of letters) {
    const ink = channels(letter);
    for (let shade = 1; shade <= SHADES; shade++) {
      for (let channel = 0; channel < 3; channel++) {
        const from = paper[channel]!;
        bytes.push(from + Math.trunc(((ink[channel]! - from) * shade) / SHADES));
      }
    }
  }
  return Uint8Array.from(bytes);
}
