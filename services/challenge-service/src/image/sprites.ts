// The glyph sprites: each character of each font, rasterised once by the driver; all drawing works on copies of these.
import type { Driver } from './driver.js';
import { BUNDLED_CHARACTERS, FONT_NAMES, type FontName } from './fonts.js';

/** Height of a capital in the sprites, in pixels, whatever the font. */
export const CAPITAL_PX = 48;

/** One character of one font. */
export type Sprite = {
  /** Where its alpha values begin; `width` × `height` of them, with an empty frame of one pixel. */
  offset: number;
  width: number;
  height: number;
  /** The point it turns around, in 1/256 pixel from its upper left corner: mid-ink, and mid-capital for every letter. */
  centreX: number;
  centreY: number;
  /** Its outermost ink, seen from all four sides: x and y in turn, in 1/256 pixel from the centre. */
  outline: Int16Array;
};

/** All sprites; can be handed to a worker, whose copy shares the alpha values. */
export type Sprites = { alpha: Uint8Array; glyphs: Map<string, Sprite> };

/** The sprite of a character; throws RangeError for one that the fonts do not hold. */
export function findSprite(sprites: Sprites, font: FontName, character: string): Sprite {
  const sprite = sprites.glyphs.get(font + character);
  if (!sprite) throw new RangeError(`no bundled font holds the character ${JSON.stringify(character)}`);
  return sprite;
}

const CANVAS_SIDE = 160;
const INKED = 96;

/** Has the driver rasterise every bundled character: the only use of the image library. Takes tens of milliseconds. */
export function rasteriseSprites(driver: Driver): Sprites {
  const glyphs = new Map<string, Sprite>();
  const pieces: Uint8Array[] = [];
  let offset = 0;
  for (const font of FONT_NAMES) {
    const sizePx = matchCapitals(driver, font);
    const capital = findInk(driver.rasterise(font, sizePx, 'H', CANVAS_SIDE));
    for (const character of BUNDLED_CHARACTERS) {
      const canvas = driver.rasterise(font, sizePx, character, CANVAS_SIDE);
      const ink = findInk(canvas);
      const width = ink.right - ink.left + 3;
      const height = ink.bottom - ink.top + 3;
      const piece = new Uint8Array(width * height);
      for (let y = 0; y < height; y++) {
        const from = (ink.top - 1 + y) * CANVAS_SIDE + ink.left - 1;
        piece.set(canvas.subarray(from, from + width), y * width);
      }
      const centreX = width << 7;
      const centreY = (capital.top + capital.bottom + 1 - 2 * (ink.top - 1)) << 7;
      const outline = traceOutline(piece, width, height, centreX, centreY);
      glyphs.set(font + character, { offset, width, height, centreX, centreY, outline });
      pieces.push(piece);
      offset += piece.length;
    }
  }
  const alpha = new Uint8Array(new SharedArrayBuffer(offset));
  let at = 0;
  for (const piece of pieces) {
    alpha.set(piece, at);
    at += piece.length;
  }
  return { alpha, glyphs };
}

function matchCapitals(driver: Driver, font: FontName): number {
  const ink = findInk(driver.rasterise(font, CAPITAL_PX, 'H', CANVAS_SIDE));
  return Math.round((CAPITAL_PX * CAPITAL_PX) / (ink.bottom - ink.top + 1));
}

type Ink = { left: number; right: number; top: number; bottom: number };

function findInk(canvas: Uint8Array): Ink {
  const ink = { left: CANVAS_SIDE, right: -1, top: CANVAS_SIDE, bottom: -1 };
  for (let at = 0; at < canvas.length; at++) {
    if (canvas[at] === 0) continue;
    const x = at % CANVAS_SIDE;
    const y = (at - x) / CANVAS_SIDE;
    ink.left = Math.min(ink.left, x);
    ink.right = Math.max(ink.right, x);
    ink.top = Math.min(ink.top, y);
    ink.bottom = Math.max(ink.bottom, y);
  }
  if (ink.right < 0) throw new Error('the image library draws nothing with the bundled fonts');
  return ink;
}

function traceOutline(piece: Uint8Array, width: number, height: number, centreX: number, centreY: number) {
  const points: number[] = [];
  const isInked = (x: number, y: number) => (piece[y * width + x] as number) >= INKED;
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
