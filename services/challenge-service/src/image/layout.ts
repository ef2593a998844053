// Places the letters: tilts and shifts each, and pushes it against its neighbour until their ink overlaps.

import type { ImagePreset } from '../presets/preset.js';
import type { FontName } from './fonts.js';
import type { Generator } from './generator.js';
import { cosine, SINE_BITS, sine, TURN } from './sine.js';
import { CAPITAL_PX, findSprite, type Sprite, type Sprites } from './sprites.js';

/** A placed letter. Lengths are in 1/256 pixel. */
export type Letter = {
  sprite: Sprite;
  x: number;
  y: number;
  /** Sine and cosine of its tilt over its scale, times 4,096: a step in the image gives a step in the sprite. */
  sin: number;
  cos: number;
  /**
   * Displacements of the sprite's points by row and by column, from `SWAY_MARGIN` pixels before the first to as many after
   * the last.
   */
  swayByRow: readonly number[];
  swayByColumn: readonly number[];
  /** Bounding box of its ink in the image, before the wave. */
  left: number;
  right: number;
  top: number;
  bottom: number;
};

/** Pixels around a sprite that have displacements too: more than the largest displacement. */
export const SWAY_MARGIN = 6;

const ROWS = 160;
const MIDDLE_ROW = ROWS / 2;
const NOTHING = 1 << 28;
const MARGIN_PX = 2;
/** Height of a capital at most, as a share of the picture's height. */
export const SHARE_OF_HEIGHT = 0.575;

/** Returns the margins that letters leave at the sides and above and below, in CSS pixels. The waves move ink into them. */
export function marginsOf(wave: ImagePreset['wave']): { x: number; y: number } {
  return { x: MARGIN_PX + wave.sideways_px, y: MARGIN_PX + wave.amplitude_px };
}

type Draft = Omit<Letter, 'x' | 'left' | 'right' | 'top' | 'bottom'> & {
  x: number;
  /** Leftmost and rightmost ink of each row, relative to the centre. */
  leftEdge: number[];
  rightEdge: number[];
};

/** Places the letters of a text in the image, as large as they fit. */
export function placeLetters(
  sprites: Sprites,
  text: string,
  preset: ImagePreset,
  generator: Generator,
): Letter[] {
  const { letters, picture, wave } = preset;
  const drafts: Draft[] = [];
  const rightmost = new Array<number>(ROWS).fill(-NOTHING);
  for (const character of text) {
    const draft = turnLetter(sprites, character, letters, generator);
    draft.x = drafts.length === 0 ? 0 : pushLeft(rightmost, draft, drafts.at(-1)!, letters.overlap_px << 8);
    for (let row = 0; row < ROWS; row++) {
      rightmost[row] = Math.max(rightmost[row]!, draft.x + draft.rightEdge[row]!);
    }
    drafts.push(draft);
  }
  return fitIntoPicture(drafts, picture, wave, generator);
}

function turnLetter(
  sprites: Sprites,
  character: string,
  options: ImagePreset['letters'],
  generator: Generator,
): Draft {
  const font = options.fonts[generator.below(options.fonts.length)] as FontName;
  const sprite = findSprite(sprites, font, character);
  const steps = Math.floor((options.tilt_degrees * TURN) / 360);
  const tilt = generator.between(-steps, steps);
  const [sin, cos] = [sine(tilt), cosine(tilt)];
  const swayByRow = sway(sprite.height, options.wobble_px, generator);
  const swayByColumn = sway(sprite.width, options.wobble_px, generator);
  const shift = generator.between(-options.shift_px << 8, options.shift_px << 8);
  const leftEdge = new Array<number>(ROWS).fill(NOTHING);
  const rightEdge = new Array<number>(ROWS).fill(-NOTHING);
  const { outline, centreX, centreY } = sprite;
  for (let at = 0; at < outline.length; at += 2) {
    const column = (outline[at]! + centreX) >> 8;
    const row = (outline[at + 1]! + centreY) >> 8;
    // The drawing looks up sprite points from image points; the way back differs by less than the sway's own slope.
    const px = outline[at]! - swayByRow[row + SWAY_MARGIN]!;
    const py = outline[at + 1]! - swayByColumn[column + SWAY_MARGIN]!;
    const x = (px * cos - py * sin) >> SINE_BITS;
    const y = ((px * sin + py * cos) >> SINE_BITS) + shift;
    const bin = (y >> 8) + MIDDLE_ROW;
    if (x < leftEdge[bin]!) leftEdge[bin] = x;
    if (x > rightEdge[bin]!) rightEdge[bin] = x;
  }
  return { sprite, x: 0, y: shift, sin, cos, swayByRow, swayByColumn, leftEdge, rightEdge };
}

function sway(length: number, amplitudePx: number, generator: Generator): number[] {
  const phase = generator.below(TURN);
  const stepPerPixel = generator.between(9, 18);
  const displacements = new Array<number>(length + 2 * SWAY_MARGIN).fill(0);
  for (let at = 0; at < displacements.length; at++) {
    displacements[at] = (sine(phase + at * stepPerPixel) * amplitudePx) >> 6;
  }
  return displacements;
}

/**
 * Returns the place of the next letter: as far left as it overlaps earlier ink by `overlap`, but not under its neighbour.
 */
function pushLeft(rightmost: readonly number[], draft: Draft, previous: Draft, overlap: number): number {
  let x = -NOTHING;
  for (let row = 0; row < ROWS; row++) {
    if (draft.leftEdge[row] === NOTHING) continue;
    if (rightmost[row] !== -NOTHING) x = Math.max(x, rightmost[row]! - draft.leftEdge[row]!);
  }
  const bothWidths = previous.sprite.inkWidth + draft.sprite.inkWidth;
  return Math.max(x - overlap, previous.x + Math.floor((bothWidths * 3) / 7));
}

function fitIntoPicture(
  drafts: Draft[],
  picture: ImagePreset['picture'],
  wave: ImagePreset['wave'],
  generator: Generator,
): Letter[] {
  const boxes = drafts.map(boxOf);
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.right));
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  const margins = marginsOf(wave);
  const marginX = margins.x << 8;
  const marginY = margins.y << 8;
  const roomX = (picture.width << 8) - 2 * marginX;
  const roomY = (picture.height << 8) - 2 * marginY;
  // Sprite pixels to image pixels, times 4,096.
  const scale = Math.min(
    Math.floor((roomX * 4096) / (right - left)),
    Math.floor((roomY * 4096) / (bottom - top)),
    Math.floor((picture.height * SHARE_OF_HEIGHT * 4096) / CAPITAL_PX),
  );
  const toImage = (length: number): number => Math.floor((length * scale) / 4096);
  const startX = marginX + generator.between(0, Math.max(0, (roomX - toImage(right - left)) >> 8)) * 256;
  const startY = marginY + generator.between(0, Math.max(0, (roomY - toImage(bottom - top)) >> 8)) * 256;
  return drafts.map((draft, index) => {
    const { sprite, swayByRow, swayByColumn, sin, cos } = draft;
    const box = boxes[index]!;
    return {
      sprite,
      swayByRow,
      swayByColumn,
      sin: Math.floor((sin * 1024) / scale),
      cos: Math.floor((cos * 1024) / scale),
      x: startX + toImage(draft.x - left),
      y: startY + toImage(draft.y - top),
      left: startX + toImage(box.left - left),
      right: startX + toImage(box.right - left),
      top: startY + toImage(box.top - top),
      bottom: startY + toImage(box.bottom - top),
    };
  });
}

function boxOf(draft: Draft): { left: number; right: number; top: number; bottom: number } {
  let [left, right, top, bottom] = [NOTHING, -NOTHING, ROWS, 0];
  for (let row = 0; row < ROWS; row++) {
    if (draft.leftEdge[row] === NOTHING) continue;
    left = Math.min(left, draft.leftEdge[row]!);
    right = Math.max(right, draft.rightEdge[row]!);
    top = Math.min(top, row);
    bottom = row;
  }
  return {
    left: draft.x + left,
    right: draft.x + right,
    top: (top - MIDDLE_ROW) << 8,
    bottom: (bottom + 1 - MIDDLE_ROW) << 8,
  };
}
