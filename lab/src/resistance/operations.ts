// An attacker's preparations of an image before a program reads it.
import type { GreyImage } from './grey-image.js';

/**
 * Converts to black and white at the best separating threshold (N. Otsu, "A threshold selection method from gray-level
 * histograms", 1979).
 */
function threshold(image: GreyImage): GreyImage {
  const limit = otsuLevel(image.pixels);
  return { ...image, pixels: image.pixels.map((level) => (level <= limit ? 0 : 255)) };
}

function otsuLevel(pixels: Uint8Array): number {
  const histogram = new Uint32Array(256);
  let total = 0;
  for (const level of pixels) {
    histogram[level]!++;
    total += level;
  }
  let best = { level: 0, spread: -1 };
  let count = 0;
  let sum = 0;
  for (let level = 0; level < 255; level++) {
    count += histogram[level]!;
    sum += level * histogram[level]!;
    if (count === 0 || count === pixels.length) continue;
    const distance = sum / count - (total - sum) / (pixels.length - count);
    const spread = count * (pixels.length - count) * distance * distance;
    if (spread > best.spread) best = { level, spread };
  }
  return best.level;
}

/** Enlarges by a whole factor, with linear interpolation, and adds a white frame. */
function enlarge({ width, height, pixels }: GreyImage, factor = 3, framePx = 20): GreyImage {
  const wide = width * factor + 2 * framePx;
  const high = height * factor + 2 * framePx;
  const larger = new Uint8Array(wide * high).fill(255);
  for (let y = 0; y < height * factor; y++) {
    const fromY = Math.min(Math.max((y + 0.5) / factor - 0.5, 0), height - 1);
    const above = Math.floor(fromY);
    const below = Math.min(above + 1, height - 1);
    for (let x = 0; x < width * factor; x++) {
      const fromX = Math.min(Math.max((x + 0.5) / factor - 0.5, 0), width - 1);
      const left = Math.floor(fromX);
      const right = Math.min(left + 1, width - 1);
      const mix = (row: number) =>
        pixels[row * width + left]! * (1 - fromX + left) + pixels[row * width + right]! * (fromX - left);
      larger[(y + framePx) * wide + x + framePx] = Math.round(
        mix(above) * (1 - fromY + above) + mix(below) * (fromY - above),
      );
    }
  }
  return { width: wide, height: high, pixels: larger };
}

/** Applies a median filter of 3 × 3 pixels, which removes small speckles and holes and keeps strokes. */
function despeckle({ width, height, pixels }: GreyImage): GreyImage {
  const cleaned = new Uint8Array(pixels.length);
  const around = new Uint8Array(9);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let step = 0; step < 9; step++) {
        const fromX = Math.min(Math.max(x + (step % 3) - 1, 0), width - 1);
        const fromY = Math.min(Math.max(y + Math.floor(step / 3) - 1, 0), height - 1);
        around[step] = pixels[fromY * width + fromX]!;
      }
      cleaned[y * width + x] = around.sort()[4]!;
    }
  }
  return { width, height, pixels: cleaned };
}

/** Keeps only the edges, dark on white, which removes the effect of contrast inversion. */
function outline({ width, height, pixels }: GreyImage): GreyImage {
  const edges = new Uint8Array(pixels.length).fill(255);
  for (let y = 0; y < height - 1; y++) {
    for (let x = 0; x < width - 1; x++) {
      const at = y * width + x;
      const across = Math.abs(pixels[at + 1]! - pixels[at]!);
      const down = Math.abs(pixels[at + width]! - pixels[at]!);
      edges[at] = 255 - Math.min(255, across + down);
    }
  }
  return { width, height, pixels: edges };
}

/** All preparations, by their names in the report. */
export const PREPARATIONS: Readonly<Record<string, (image: GreyImage) => GreyImage>> = {
  raw: (image) => image,
  thresholded: threshold,
  enlarged: (image) => enlarge(image),
  'thresholded, enlarged': (image) => enlarge(threshold(image)),
  'enlarged, thresholded': (image) => threshold(enlarge(image)),
  'outlined, enlarged': (image) => enlarge(outline(image)),
  'despeckled, enlarged, thresholded': (image) => threshold(enlarge(despeckle(image))),
};
