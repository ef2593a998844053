// Function seed: SHA-256 of the challenge's salt, the part and the block.
import { initialState, roundConstants, sourcesOf } from '../block-layout.js';

const DOMAIN = 'captcha-hashwx-1';
const SALT_BYTES = 32;
const messageBytes = DOMAIN.length + SALT_BYTES + 5;

/**
 * Returns the 32 bytes of SHA-256(domain ‖ salt ‖ part ‖ block).
 * @param salt 64 hexadecimal digits
 * @param part one byte
 * @param block four bytes, big-endian
 */
export function functionSeed(salt: string, part: number, block: number): Uint8Array {
  // One block of SHA-256: the message, a one bit, zeros, and the length in bits.
  const bytes = new Uint8Array(64);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < DOMAIN.length; i++) bytes[i] = DOMAIN.charCodeAt(i);
  for (let i = 0; i < SALT_BYTES; i++) {
    bytes[DOMAIN.length + i] = Number.parseInt(salt.slice(2 * i, 2 * i + 2), 16);
  }
  bytes[messageBytes - 5] = part;
  view.setUint32(messageBytes - 4, block);
  bytes[messageBytes] = 0x80;
  view.setUint32(60, messageBytes * 8);
  return hashBlock(view);
}

const rotate = (x: number, bits: number) => (x >>> bits) | (x << (32 - bits));

/** Compresses one block (FIPS 180-4, 6.2.2). Speed is irrelevant: each function hashes thousands of nonces. */
function hashBlock(block: DataView): Uint8Array {
  const words: number[] = [];
  let state = [...initialState];
  for (let t = 0; t < 64; t++) {
    if (t < 16) words.push(block.getInt32(4 * t));
    else {
      const [y = 0, w7 = 0, x = 0, w16 = 0] = sourcesOf(t).map((source) => words[source]);
      const small0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      const small1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
      words.push((small1 + w7 + small0 + w16) | 0);
    }
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + big1 + ((e & f) ^ (~e & g)) + roundConstants[t]! + words[t]!) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    state = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setInt32(4 * i, word + initialState[i]!);
  return new Uint8Array(digest.buffer);
}
