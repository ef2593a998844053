// Colours of an image: the letter colour of each pixel, and the contrast between two colours.
import type { Generator } from './generator.js';
import { createPlane, type Plane } from './plane.js';

/**
 * Returns the index of the letter colour of each pixel. Colours change in slanting bands across letters and speckles alike:
 * one colour per letter would reveal to a program where a letter ends.
 */
export function colourOfPixels(width: number, height: number, colours: number, generator: Generator): Plane {
  const plane = createPlane('colours', width, height);
  const stepX = generator.between(120, 240);
  const stepY = generator.between(-120, 120);
  const start = generator.below(3 * 16_384) + 120 * height;
  for (let y = 0; y < height; y++) {
    const row = (y + 1) * plane.stride;
    const along = start + y * stepY;
    for (let x = 0; x < width; ) {
      const band = (along + x * stepX) >> 14;
      // The band ends before the first pixel that lies beyond it.
      const end = Math.min(width, Math.ceil((((band + 1) << 14) - along) / stepX));
      plane.values.fill(band % colours, row + x, row + end);
      x = end;
    }
  }
  return plane;
}

/** Returns red, green and blue of a colour such as `#1d3f8f`, from 0 to 255. */
export function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** Returns the contrast ratio of two colours such as `#1d3f8f`, from 1 to 21, as WCAG 2.2 defines it. */
export function contrastBetween(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
