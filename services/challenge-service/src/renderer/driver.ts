// Loads an image library, whose only task is to rasterise glyphs as alpha maps.
import { createRequire } from 'node:module';
import { FONT_NAMES, type FontName, fontFamily, fontPath } from '../image/fonts.js';

/** The libraries, in order of preference. */
export const DRIVER_NAMES = ['canvas', '@napi-rs/canvas'] as const;

export type DriverName = (typeof DRIVER_NAMES)[number];

/** A loaded library. */
export type Driver = {
  name: DriverName;
  version: string;
  /**
   * Rasterises one character on a transparent square: returns `side` × `side` alpha values, row by row. The origin is a
   * quarter of the side from the left, the baseline a quarter from the bottom.
   */
  rasterise(font: FontName, sizePx: number, character: string, side: number): Uint8Array;
};

/** Loads a library; tests supply their own. Throws what `require` throws. */
export type ModuleLoader = (specifier: string) => unknown;

/**
 * Loads the named library, or without a name the first that loads. Returns null if none does.
 *
 * @throws Error if a named library is unknown or does not load, with the reason as its cause
 */
export function loadDriver(
  name?: DriverName,
  load: ModuleLoader = createRequire(import.meta.url),
): Driver | null {
  if (name !== undefined) {
    const start = Object.hasOwn(starters, name) ? starters[name] : undefined;
    if (!start) throw new Error(`unknown image library: ${name}`);
    try {
      return start(load);
    } catch (cause) {
      throw new Error(`the image library ${name} does not load`, { cause });
    }
  }
  for (const candidate of DRIVER_NAMES) {
    try {
      return starters[candidate](load);
    } catch {
      // The next one may load. The pool's identity names the one that did.
    }
  }
  return null;
}

type Context = {
  font: string;
  textDrawingMode?: string;
  fillText(text: string, x: number, y: number): void;
  getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
};
type Canvas = { getContext(kind: '2d'): Context };
type CreateCanvas = (width: number, height: number) => Canvas;
type CairoModule = {
  version: string;
  createCanvas: CreateCanvas;
  registerFont(path: string, face: { family: string }): void;
};
type SkiaModule = {
  createCanvas: CreateCanvas;
  GlobalFonts: { registerFromPath(path: string, family: string): unknown };
};

/** A library keeps its fonts for as long as the process, so that it is started once. */
const started = new WeakMap<object, Driver>();

function startOnce<Library extends object>(library: Library, start: (library: Library) => Driver): Driver {
  const driver = started.get(library) ?? start(library);
  started.set(library, driver);
  return driver;
}

const starters: Record<DriverName, (load: ModuleLoader) => Driver> = {
  canvas: (load) => startOnce(load('canvas') as CairoModule, startCairo),
  '@napi-rs/canvas': (load) =>
    startOnce(load('@napi-rs/canvas') as SkiaModule, (skia) => {
      const { version } = load('@napi-rs/canvas/package.json') as { version: string };
      return startSkia(skia, version);
    }),
};

function startCairo(cairo: CairoModule): Driver {
  for (const font of FONT_NAMES) cairo.registerFont(fontPath(font), { family: fontFamily(font) });
  return { name: 'canvas', version: cairo.version, rasterise: rasteriser(cairo.createCanvas) };
}

function startSkia(skia: SkiaModule, version: string): Driver {
  for (const font of FONT_NAMES) {
    if (!skia.GlobalFonts.registerFromPath(fontPath(font), fontFamily(font))) {
      throw new Error(`the bundled font ${font} cannot be read`);
    }
  }
  return { name: '@napi-rs/canvas', version, rasterise: rasteriser(skia.createCanvas) };
}

function rasteriser(createCanvas: CreateCanvas): Driver['rasterise'] {
  return (font, sizePx, character, side) => {
    const context = createCanvas(side, side).getContext('2d');
    // For `canvas` only: draws outlines instead of glyph bitmaps, which the machine's hinting settings would change.
    context.textDrawingMode = 'path';
    context.font = `${sizePx}px "${fontFamily(font)}"`;
    context.fillText(character, side / 4, (side * 3) / 4);
    const { data } = context.getImageData(0, 0, side, side);
    const alpha = new Uint8Array(side * side);
    for (let pixel = 0, at = 3; pixel < alpha.length; pixel++, at += 4) alpha[pixel] = data[at]!;
    return alpha;
  };
}
