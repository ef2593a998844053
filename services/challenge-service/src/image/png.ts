// Encodes PNG files with a small palette: rows as differences to the row above, compressed by run lengths.
import { constants, crc32, deflateSync } from 'node:zlib';

/** An image whose pixels are entries of a palette. */
export type IndexedImage = {
  readonly width: number;
  readonly height: number;
  /** Bits for each pixel: 2 or 4. */
  readonly bits: number;
  /** Each row is `FILTER_UP`, then its filtered pixels, the first in the highest bits. */
  readonly rows: Uint8Array;
  /** Red, green and blue of each entry. */
  readonly palette: Uint8Array;
};

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const CHUNK_OVERHEAD = 12;
/** Filter type of a row whose bytes are differences to the byte above, so that a vertical edge is all zeros. */
export const FILTER_UP = 2;

// Run-length matches alone compress these images as well as level 1 does, are faster, and avoid zlib's match hash, which
// differs between processors. Nearly every image fits into one chunk of this size; a larger chunk would be allocated for
// each image.
const DEFLATE = { level: 1, strategy: constants.Z_RLE, memLevel: 8, windowBits: 14, chunkSize: 4096 };

/** Encodes an image as an indexed PNG (RFC 2083). */
export function encodePng({ width, height, bits, rows, palette }: IndexedImage): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = bits;
  header[9] = 3;
  const packed = deflateSync(rows, DEFLATE);
  const total = SIGNATURE.length + 4 * CHUNK_OVERHEAD + header.length + palette.length + packed.length;
  const file = new Uint8Array(total);
  file.set(SIGNATURE);
  let at = SIGNATURE.length;
  at = writeChunk(file, at, 'IHDR', header);
  at = writeChunk(file, at, 'PLTE', palette);
  at = writeChunk(file, at, 'IDAT', packed);
  writeChunk(file, at, 'IEND', new Uint8Array(0));
  return file;
}

function writeChunk(file: Uint8Array, at: number, type: string, data: Uint8Array): number {
  const view = new DataView(file.buffer);
  view.setUint32(at, data.length);
  for (let index = 0; index < 4; index++) file[at + 4 + index] = type.charCodeAt(index);
  file.set(data, at + 8);
  const end = at + 8 + data.length;
  view.setUint32(end, crc32(file.subarray(at + 4, end)));
  return end + 4;
}
