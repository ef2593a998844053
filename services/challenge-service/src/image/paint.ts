// Turns quarters of pixels and their colours into the rows of a PNG: each quarter a pixel of its own, or each pixel shaded by its quarters.
import { channels } from './colours.js';
import type { Plane } from './plane.js';
import type { IndexedImage } from './png.js';
import type { ImagePreset } from './preset.js';

type Palette = ImagePreset['picture']['palettes'][number];

/** Two quarters side by side as two pixels of two bits; times a palette entry, where they are ink that entry. */
const SPREAD = Uint8Array.of(0b0000, 0b0001, 0b0100, 0b0101);

/** Twice as wide and as high: background and up to three letter colours, two bits a pixel. On a dense screen no shade is missed. */
export function paintSharp(
  { width, height, stride, values: quarters }: Plane,
  { values: colours }: Plane,
  palette: Palette,
): IndexedImage {
  const rowBytes = 1 + ((width + 1) >> 1);
  const rows = new Uint8Array(2 * height * rowBytes);
  for (let y = 0; y < height; y++) {
    let upper = 2 * y * rowBytes + 1;
    let lower = upper + rowBytes;
    const row = (y + 1) * stride;
    // Past an odd width lies the border, which is paper.
    for (let pixel = row; pixel < row + width; pixel += 2, upper++, lower++) {
      const first = quarters[pixel]!;
      const second = quarters[pixel + 1]!;
      const firstEntry = (colours[pixel]! + 1) << 4;
      const secondEntry = colours[pixel + 1]! + 1;
      rows[upper] = SPREAD[first >> 2]! * firstEntry + SPREAD[second >> 2]! * secondEntry;
      rows[lower] = SPREAD[first & 3]! * firstEntry + SPREAD[second & 3]! * secondEntry;
    }
  }
  const bytes = [palette.background, ...palette.letters].flatMap(channels);
  return { width: 2 * width, height: 2 * height, bits: 2, rows, palette: Uint8Array.from(bytes) };
}

/** Shades of each letter colour: one for each quarter that is ink. */
const SHADES = 4;
const INK_QUARTERS = Uint8Array.from({ length: 16 }, (_, bits) =>
  [8, 4, 2, 1].reduce((count, bit) => count + (bits & bit ? 1 : 0), 0),
);

/** Pixel for pixel, each as dark as quarters of it are ink, four bits a pixel. */
export function paintSmooth(
  { width, height, stride, values: quarters }: Plane,
  { values: colours }: Plane,
  palette: Palette,
): IndexedImage {
  const rowBytes = 1 + ((width + 1) >> 1);
  const rows = new Uint8Array(height * rowBytes);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const pixel = (y + 1) * stride + x;
      const shade = INK_QUARTERS[quarters[pixel]!]!;
      const entry = shade === 0 ? 0 : colours[pixel]! * SHADES + shade;
      rows[y * rowBytes + 1 + (x >> 1)]! |= x & 1 ? entry : entry << 4;
    }
  }
  return { width, height, bits: 4, rows, palette: shadePalette(palette) };
}

/** Red, green and blue of the background, then of each letter colour's shades. */
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
