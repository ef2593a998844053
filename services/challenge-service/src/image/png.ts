// The PNG file: a palette of 16 colours, four bits a pixel, no filter, deflate level 1.
import { constants, crc32, deflateSync } from 'node:zlib';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const CHUNK_OVERHEAD = 12;

// Runs alone are as small here as any match at level 1, quicker, and found without the hash that zlib varies with the processor.
const DEFLATE = { level: 1, strategy: constants.Z_RLE };

/**
 * Encodes an image as an indexed PNG (RFC 2083).
 *
 * @param pixels one palette index (0 to 15) a pixel, row by row
 * @param palette red, green and blue of up to 16 colours
 */
export function encodePng(
  pixels: Uint8Array,
  width: number,
  height: number,
  palette: Uint8Array,
): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 4;
  header[9] = 3;
  const packed = deflateSync(packRows(pixels, width, height), DEFLATE);
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

function packRows(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const rowBytes = 1 + ((width + 1) >> 1);
  const rows = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    // The first byte of a row names its filter: none.
    let to = y * rowBytes + 1;
    const end = (y + 1) * width;
    for (let from = y * width; from < end; from += 2) {
      const right = from + 1 < end ? pixels[from + 1]! : 0;
      rows[to++] = (pixels[from]! << 4) | right;
    }
  }
  return rows;
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
