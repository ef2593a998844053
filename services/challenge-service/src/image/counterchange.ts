// Counterchange: along a bent line across the image paper and ink change places, so that each letter is dark on light on one side of it and
// light on dark on the other. People read on across it; a program that takes ink for dark, or for light, loses one half of each letter.
import type { Generator } from './generator.js';
import type { ImagePreset } from './preset.js';
import { sine, TURN } from './sine.js';

/** Turns the cover round on one side of the line, above or below it. */
export function counterchange(
  cover: Uint8Array,
  { width, height, counterchange_px, counterchange_wavelength_px }: ImagePreset['picture'],
  generator: Generator,
): void {
  const middle = generator.between(height * 120, height * 136);
  const phase = generator.below(TURN);
  const pace = Math.floor((TURN * 64 * 100) / (counterchange_wavelength_px * generator.between(80, 120)));
  const isAbove = generator.below(2) === 1;
  // Only now, so that an image without it is otherwise the same.
  if (counterchange_px === 0) return;
  const lines = new Int32Array(width);
  let highest = height;
  let lowest = 0;
  for (let x = 0; x < width; x++) {
    const line = middle + ((sine(phase + ((x * pace) >> 6)) * (counterchange_px << 8)) >> 14);
    const y = line >> 8;
    const pixel = y * width + x;
    // The pixel on the line itself, by how much of it lies on the turned side.
    const share = isAbove ? line & 255 : 255 - (line & 255);
    cover[pixel] = (cover[pixel]! * (255 - share) + (255 - cover[pixel]!) * share) >> 8;
    lines[x] = y;
    highest = Math.min(highest, y);
    lowest = Math.max(lowest, y);
  }
  // Rows that the line does not cross are turned whole.
  if (isAbove) turn(cover, 0, highest * width);
  else turn(cover, (lowest + 1) * width, height * width);
  for (let y = highest; y <= lowest; y++) {
    for (let x = 0; x < width; x++) {
      if (isAbove ? y < lines[x]! : y > lines[x]!) cover[y * width + x] = 255 - cover[y * width + x]!;
    }
  }
}

function turn(cover: Uint8Array, from: number, to: number): void {
  for (let pixel = from; pixel < to; pixel++) cover[pixel] = 255 - cover[pixel]!;
}
