// Turns the shifts to the left of the SIMD module into multiplications, which are faster where an engine moves the count
// of a shift into a vector register each time. A second module would make the worker's file larger by 4 kB.

/** The locals of the powers of two follow the three parameters. */
const firstPower = 3;
const [i32Const, localGet, vectorPrefix] = [0x41, 0x20, 0xfd] as const;
/** `i32x4.shl` and `i32x4.mul` after the prefix; both end with 0x01. */
const [shiftLeft, multiply] = [0xab, 0xb5] as const;

/**
 * Changes each `i32.const n`, `i32x4.shl` to `local.get $power n`, `i32x4.mul`, both five bytes long.
 * @param bytes of `simdModule`, whose locals hold the powers of two
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
