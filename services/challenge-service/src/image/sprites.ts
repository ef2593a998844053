// The glyph sprites: the driver rasterises each character of each font once, and drawing reads the results.

import type { Driver } from '../renderer/driver.js';
import { COVER_PER_POINT, distanceField, EDGE, FIELD_REACH } from './distance-field.js';
import { BUNDLED_CHARACTERS, FONT_NAMES, type FontName } from './fonts.js';

/** Height of a capital in the sprites, in pixels, whatever the font. */
export const CAPITAL_PX = 48;

/** One character of one font. */
export type Sprite = {
  /** Where its distance field begins: `width` × `height` values, with a frame as wide as the field reaches. */
  offset: number;
  width: number;
  height: number;
  /**
   * Its centre of rotation, in 1/256 pixel from its upper left corner: the middle of its ink, at half the height of a
   * capital.
   */
  centreX: number;
  centreY: number;
  /** Width of its ink, in 1/256 pixel. */
  inkWidth: number;
  /** Its outermost ink on all four sides: pairs of x and y, in 1/256 pixel from the centre. */
  outline: Int16Array;
};

/** All sprites. A worker that receives them as its data shares the memory of the fields. */
export type Sprites = { fields: Uint8Array; glyphs: Map<string, Sprite> };

/** Returns the sprite of a character. Throws RangeError if the fonts lack it. */
export function findSprite(sprites: Sprites, font: FontName, character: string): Sprite {
  const sprite = sprites.glyphs.get(font + character);
  if (!sprite) throw new RangeError(`no bundled font has the character ${JSON.stringify(character)}`);
  return sprite;
}

/** Twice the size of the largest character. */
const CANVAS_SIDE = 192;
const CANVAS_CAPITAL_PX = CAPITAL_PX * COVER_PER_POINT;
const FRAME = FIELD_REACH + 1;

/**
 * Checks that the library draws with each bundled font.
 * @throws Error if it draws nothing
 */
export function checkFonts(driver: Driver): void {
  for (const font of FONT_NAMES) matchCapitals(driver, font);
}

/**
 * Rasterises every bundled character. Takes about 100 milliseconds of processor time, and lets other work run after each
 * character.
 */
export async function rasteriseSprites(driver: Driver): Promise<Sprites> {
  const glyphs = new Map<string, Sprite>();
  const pieces: Uint8Array[] = [];
  let offset = 0;
  for (const font of FONT_NAMES) {
    const sizePx = matchCapitals(driver, font);
    const capital = findInk(driver.rasterise(font, sizePx, 'H', CANVAS_SIDE));
    for (const character of BUNDLED_CHARACTERS) {
      const canvas = driver.rasterise(font, sizePx, character, CANVAS_SIDE);
      const ink = findInk(canvas);
      const width = pointsAcross(ink.left, ink.right);
      const height = pointsAcross(ink.top, ink.bottom);
      const left = ink.left - FRAME * COVER_PER_POINT;
      const top = ink.top - FRAME * COVER_PER_POINT;
      const piece = distanceField(canvas, CANVAS_SIDE, left, top, width, height);
      const centreX = Math.floor(((ink.left + ink.right + 1 - 2 * left) * 128) / COVER_PER_POINT) + 128;
      const centreY =
        Math.floor(((capital.top + capital.bottom + 1 - 2 * top) * 128) / COVER_PER_POINT) + 128;
      const outline = traceOutline(piece, width, height, centreX, centreY);
      const inkWidth = Math.floor(((ink.right - ink.left + 1) << 8) / COVER_PER_POINT);
      glyphs.set(font + character, { offset, width, height, centreX, centreY, inkWidth, outline });
      pieces.push(piece);
      offset += piece.length;
      await new Promise(setImmediate);
    }
  }
  const fields = new Uint8Array(new SharedArrayBuffer(offset));
  let at = 0;
  for (const piece of pieces) {
    fields.set(piece, at);
    at += piece.length;
  }
  return { fields, glyphs };
}

function pointsAcross(first: number, last: number): number {
  return Math.ceil((last - first + 1) / COVER_PER_POINT) + 2 * FRAME + 1;
}

function matchCapitals(driver: Driver, font: FontName): number {
  const ink = findInk(driver.rasterise(font, CANVAS_CAPITAL_PX, 'H', CANVAS_SIDE));
  return Math.round((CANVAS_CAPITAL_PX * CANVAS_CAPITAL_PX) / (ink.bottom - ink.top + 1));
}

type Ink = { left: number; right: number; top: number; bottom: number };

function findInk(canvas: Uint8Array): Ink {
  const ink = { left: CANVAS_SIDE, right: -1, top: CANVAS_SIDE, bottom: -1 };
  for (let y = 0; y < CANVAS_SIDE; y++) {
    for (let x = 0; x < CANVAS_SIDE; x++) {
      if (canvas[y * CANVAS_SIDE + x] === 0) continue;
      if (x < ink.left) ink.left = x;
      if (x > ink.right) ink.right = x;
      if (ink.bottom < 0) ink.top = y;
      ink.bottom = y;
    }
  }
  if (ink.right < 0) throw new Error('the image library draws nothing with the bundled fonts');
  return ink;
}

function traceOutline(piece: Uint8Array, width: number, height: number, centreX: number, centreY: number) {
  const points: number[] = [];
  const isInked = (x: number, y: number) => piece[y * width + x]! >= EDGE;
  const add = (x: number, y: number) => points.push((x << 8) + 128 - centreX, (y << 8) + 128 - centreY);
  for (let y = 0; y < height; y++) {
    let left = 0;
    while (left < width && !isInked(left, y)) left++;
    if (left === width) continue;
    let right = width - 1;
    while (!isInked(right, y)) right--;
    add(left, y);
    add(right, y);
  }
  for (let x = 0; x < width; x++) {
    let top = 0;
    while (top < height && !isInked(x, top)) top++;
    if (top === height) continue;
    let bottom = height - 1;
    while (!isInked(x, bottom)) bottom--;
    add(x, top);
    add(x, bottom);
  }
  return Int16Array.from(points);
}
