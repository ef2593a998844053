// Replaces the left shifts of the SIMD module with multiplications, which are faster in engines that move each shift count
// into a vector register. A second module would add 4 kB to the worker file.

/** Index of the first local with a power of two: they follow the three parameters. */
const firstPower = 3;
const [i32Const, localGet, vectorPrefix] = [0x41, 0x20, 0xfd] as const;
/** `i32x4.shl` and `i32x4.mul` after the prefix; both end with 0x01. */
const [shiftLeft, multiply] = [0xab, 0xb5] as const;

/**
 * Replaces each `i32.const n`, `i32x4.shl` with `local.get $power n`, `i32x4.mul`, both five bytes long.
 * @param bytes bytes of `simdModule`, whose locals hold the powers of two
 * @returns the same bytes, changed
 */
export function multiplyInsteadOfShifts<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  for (let at = 0; at + 4 < bytes.length; at++) {
    if (bytes[at] !== i32Const || bytes[at + 2] !== vectorPrefix) continue;
    if (bytes[at + 3] !== shiftLeft || bytes[at + 4] !== 0x01) continue;
    bytes[at] = localGet;
    bytes[at + 1]! += firstPower;
    bytes[at + 3] = multiply;
  }
  return bytes;
}
