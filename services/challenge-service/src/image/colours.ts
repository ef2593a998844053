// The colours of an image: the palette, and which of its entries each pixel takes.
import type { Generator } from './generator.js';
import type { ImagePreset } from './preset.js';

/** Shades of each letter colour, from the first hint to the full colour: with three colours and the background, 16. */
const SHADES = 5;
/** For each letter colour, the palette index of every cover: the background, or one of the colour's shades. */
const ENTRIES_OF_COLOUR = [0, 1, 2].map((colour) =>
  Uint8Array.from({ length: 256 }, (_, cover) => {
    const shade = (cover * (SHADES + 1)) >> 8;
    return shade === 0 ? 0 : colour * SHADES + shade;
  }),
);

/**
 * Turns cover into palette indices. Colours change in slanting bands that run across letters and speckles alike: a colour per letter would show
 * a program where one letter ends.
 */
export function colourPixels(
  cover: Uint8Array,
  width: number,
  height: number,
  colours: number,
  generator: Generator,
): void {
  const stepX = generator.between(120, 240);
  const stepY = generator.between(-120, 120);
  const start = generator.below(3 * 16_384) + 120 * height;
  let row = 0;
  for (let y = 0; y < height; y++, row += width) {
    let along = start + y * stepY;
    for (let x = 0; x < width; ) {
      const band = along >> 14;
      // The band ends before the first pixel that lies beyond it.
      const end = Math.min(width, x + Math.ceil((((band + 1) << 14) - along) / stepX));
      const entries = ENTRIES_OF_COLOUR[band % colours]!;
      along += (end - x) * stepX;
      for (; x < end; x++) cover[row + x] = entries[cover[row + x]!]!;
    }
  }
}

/** Red, green and blue of the background, then of each letter colour's shades. */
export function shadePalette({
  background,
  letters,
}: ImagePreset['picture']['palettes'][number]): Uint8Array {
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

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
