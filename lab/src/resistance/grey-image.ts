// Decodes PNG files of the challenge service to brightness, and encodes brightness as files that Tesseract can read.
import { inflateSync } from 'node:zlib';

/** Brightness, 0 (black) to 255, row by row. */
export interface GreyImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Filter type of a row of differences to the row above (RFC 2083). */
const FILTER_UP = 2;

/**
 * Decodes a PNG of the challenge service: a palette, two or four bits per pixel, all rows filtered by the row above (RFC 2083).
 *
 * @throws RangeError for any other PNG
 */
export function decodePng(png: Uint8Array): GreyImage {
  const file = Buffer.from(png.buffer, png.byteOffset, png.length);
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const bits = file[24]!;
  if ((bits !== 2 && bits !== 4) || file[25] !== 3)
    throw new RangeError('not a PNG with a palette and two or four bits a pixel');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    chunks.set(
      file.toString('latin1', at + 4, at + 8),
      file.subarray(at + 8, at + 8 + file.readUInt32BE(at)),
    );
  }
  const shades = brightnessOf(chunks.get('PLTE')!);
  const rows = inflateSync(chunks.get('IDAT')!);
  const rowBytes = 1 + Math.ceil((width * bits) / 8);
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = y * rowBytes;
    if (rows[row] !== FILTER_UP) throw new RangeError('not a PNG whose rows are filtered by those above');
    for (let at = row + 1; y > 0 && at < row + rowBytes; at++) rows[at]! += rows[at - rowBytes]!;
    for (let x = 0; x < width; x++) {
      const byte = rows[row + 1 + ((x * bits) >> 3)]!;
      pixels[y * width + x] = shades[(byte >> (8 - bits - ((x * bits) & 7))) & ((1 << bits) - 1)]!;
    }
  }
  return { width, height, pixels };
}

/** Weights of ITU-R BT.601, as Tesseract's own image library has them. */
function brightnessOf(palette: Buffer): number[] {
  return Array.from({ length: palette.length / 3 }, (_, colour) =>
    Math.round(
      palette[colour * 3]! * 0.299 + palette[colour * 3 + 1]! * 0.587 + palette[colour * 3 + 2]! * 0.114,
    ),
  );
}

/** Encodes a binary PGM file, the simplest format that Tesseract reads. */
export function encodePgm({ width, height, pixels }: GreyImage): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), pixels]);
}
