// Draws one image: letters, speckles and waves on typed arrays, in integers only. Synchronous, and takes well under a
// millisecond.

import type { ImagePreset } from '../presets/preset.js';
import { colourOfPixels } from './colours.js';
import { invertContrast } from './contrast-inversion.js';
import type { DrawingJob } from './derivation.js';
import { EDGE } from './distance-field.js';
import { createGenerator, type Generator } from './generator.js';
import { type Letter, placeLetters, SWAY_MARGIN } from './layout.js';
import { paintSharp, paintSmooth } from './paint.js';
import { createPlane, type Plane } from './plane.js';
import { encodePng } from './png.js';
import { quarterPixels } from './quarters.js';
import { sine, TURN } from './sine.js';
import type { Sprites } from './sprites.js';

/**
 * Draws the PNG of a job. The same sprites and job give the same bytes in every process and on every machine.
 *
 * @throws RangeError if the text has a character that the bundled fonts lack
 */
export function drawImage(sprites: Sprites, job: DrawingJob): Uint8Array {
  const { preset, text } = job;
  const { width, height, scale, palettes } = preset.picture;
  // Speckles have a stream of their own, so that their number does not move a letter.
  const generator = createGenerator(job.effectsSeed);
  const letters = placeLetters(sprites, text, preset, generator);
  const wave = bend(preset, generator);
  const field = createPlane('field', width, height);
  for (const letter of letters) drawLetter(field, sprites.fields, letter, wave);
  drawSpeckles(field, preset.speckles, createGenerator(job.effectsSeed, 16));
  const quarters = quarterPixels(field);
  invertContrast(quarters, preset.picture, generator);
  const palette = palettes[generator.below(palettes.length)]!;
  const colours = colourOfPixels(width, height, palette.letters.length, generator);
  const paint = scale === 1 ? paintSmooth : paintSharp;
  return encodePng(paint(quarters, colours, palette));
}

/** Displacements in 1/256 pixel: sideways by row, up and down by column. */
type WaveTables = {
  byRow: Int32Array;
  byColumn: Int32Array;
  sideways: number;
  /** Scratch memory: what each row adds to the position in a sprite. */
  rowX: Int32Array;
  rowY: Int32Array;
};

function bend({ wave, picture }: ImagePreset, generator: Generator): WaveTables {
  // The wavelength varies by a fifth either way from image to image.
  const pace = (wavelength: number) =>
    Math.floor((TURN * 64 * 100) / (wavelength * generator.between(80, 120)));
  return {
    byRow: ripple(
      picture.height,
      wave.sideways_px << 8,
      pace(wave.sideways_wavelength_px),
      generator.below(TURN),
    ),
    byColumn: ripple(picture.width, wave.amplitude_px << 8, pace(wave.wavelength_px), generator.below(TURN)),
    sideways: wave.sideways_px << 8,
    rowX: new Int32Array(picture.height),
    rowY: new Int32Array(picture.height),
  };
}

/** Returns a sine along a line of pixels; its pace is in 1/64 step of the turn for each pixel. */
function ripple(length: number, amplitude: number, pace: number, phase: number): Int32Array {
  const displacements = new Int32Array(length);
  for (let at = 0; at < length; at++) {
    displacements[at] = (sine(phase + ((at * pace) >> 6)) * amplitude) >> 14;
  }
  return displacements;
}

/** Values two thirds of the field's reach from an edge. */
const FAR_OUTSIDE = Math.floor(EDGE / 3);
const FAR_INSIDE = 255 - FAR_OUTSIDE;

function drawLetter(
  { width, height, stride, values }: Plane,
  fields: Uint8Array,
  letter: Letter,
  wave: WaveTables,
): void {
  const { sprite, sin, cos, swayByRow, swayByColumn } = letter;
  const { offset, width: spriteWidth, height: spriteHeight, centreX, centreY } = sprite;
  const firstX = Math.max(0, ((letter.left - wave.sideways) >> 8) - 2);
  const lastX = Math.min(width - 1, ((letter.right + wave.sideways) >> 8) + 2);
  const lastColumn = spriteWidth - 1;
  const lastRow = spriteHeight - 1;
  const swayedColumns = swayByColumn.length;
  const swayedRows = swayByRow.length;
  // The rotation of a point is the sum of one term of its column and one of its row; each is computed once.
  const { rowX, rowY } = wave;
  for (let y = 0; y < height; y++) {
    const bentX = wave.byRow[y]!;
    rowX[y] = bentX * cos + (y << 8) * sin;
    rowY[y] = (y << 8) * cos - bentX * sin;
  }
  // Column by column: the wave moves a column as a whole, which bounds the rows where its ink can be.
  for (let x = firstX; x <= lastX; x++) {
    const bentY = wave.byColumn[x]!;
    const firstY = Math.max(0, ((letter.top - bentY) >> 8) - 2);
    const lastY = Math.min(height - 1, ((letter.bottom - bentY) >> 8) + 2);
    const fromCentreX = (x << 8) + 128 - letter.x;
    const fromCentreY = bentY + 128 - letter.y;
    const columnX = (fromCentreX * cos + fromCentreY * sin) | 0;
    const columnY = (fromCentreY * cos - fromCentreX * sin) | 0;
    let pixel = firstY * stride + x;
    for (let y = firstY; y <= lastY; y++) {
      pixel += stride;
      const stillX = (((columnX + rowX[y]!) >> 12) + centreX) | 0;
      const stillY = (((columnY + rowY[y]!) >> 12) + centreY) | 0;
      const row = (stillY >> 8) + SWAY_MARGIN;
      const column = (stillX >> 8) + SWAY_MARGIN;
      // As unsigned numbers, negative ones are past the edge as well.
      if (column >>> 0 >= swayedColumns || row >>> 0 >= swayedRows) continue;
      const swayedX = (stillX + swayByRow[row]! - 128) | 0;
      const swayedY = (stillY + swayByColumn[column]! - 128) | 0;
      const left = swayedX >> 8;
      const top = swayedY >> 8;
      if (left >>> 0 >= lastColumn || top >>> 0 >= lastRow) continue;
      const at = offset + Math.imul(top, spriteWidth) + left;
      let value = fields[at]!;
      if (value === 0) continue;
      // Interpolates only near an edge: elsewhere it does not change the image.
      if (value > FAR_OUTSIDE && value < FAR_INSIDE) {
        const fractionX = swayedX & 255;
        const lowerLeft = fields[at + spriteWidth]!;
        const upper = (value << 8) + Math.imul(fields[at + 1]! - value, fractionX);
        const lower = (lowerLeft << 8) + Math.imul(fields[at + spriteWidth + 1]! - lowerLeft, fractionX);
        value = ((upper << 8) + Math.imul(lower - upper, swayedY & 255)) >> 16;
      }
      if (value > values[pixel]!) values[pixel] = value;
    }
  }
}

/** Change of the field from pixel to pixel near the edge of a speckle. */
const SPECKLE_SLOPE = 48;
/** Distance from the rim of a speckle at which its field ends, in 1/256 pixel. */
const FAR_FROM_SPECKLE = (EDGE * 256) / SPECKLE_SLOPE;

function drawSpeckles(
  { width, height, stride, values }: Plane,
  options: ImagePreset['speckles'],
  generator: Generator,
): void {
  const largest = Math.floor((options.radius_tenths_px * 256) / 10);
  for (let count = 0; count < options.count; count++) {
    const radius = generator.between(largest >> 1, largest);
    const centreX = (generator.below(width) << 8) + generator.below(256);
    const centreY = (generator.below(height) << 8) + generator.below(256);
    const reach = (radius >> 8) + 2;
    const lastY = Math.min(height - 1, (centreY >> 8) + reach);
    const firstX = Math.max(0, (centreX >> 8) - reach);
    const lastX = Math.min(width - 1, (centreX >> 8) + reach);
    // Beyond this distance the field is 0.
    const end = radius * radius + FAR_FROM_SPECKLE * 2 * radius;
    for (let y = Math.max(0, (centreY >> 8) - reach); y <= lastY; y++) {
      const dy = (y << 8) + 128 - centreY;
      for (let x = firstX; x <= lastX; x++) {
        const dx = (x << 8) + 128 - centreX;
        const squared = dx * dx + dy * dy;
        if (squared >= end) continue;
        // (r² - d²) / 2r is close to r - d, the distance to the rim, without a square root.
        const inside = Math.floor((radius * radius - squared) / (2 * radius));
        const value = Math.min(255, Math.max(0, ((inside * SPECKLE_SLOPE) >> 8) + EDGE));
        const pixel = (y + 1) * stride + x;
        if (value > values[pixel]!) values[pixel] = value;
      }
    }
  }
}
