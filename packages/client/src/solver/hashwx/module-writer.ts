// Writes WebAssembly modules in binary format.

/** Binary codes of instructions and types (WebAssembly Core Specification, 5.3 and 5.4). */
export const op = {
  i32: 0x7f,
  i64: 0x7e,
  nothing: 0x40,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  return: 0x0f,
  call: 0x10,
  get: 0x20,
  set: 0x21,
  load: 0x29,
  store: 0x37,
  i32Const: 0x41,
  i64Const: 0x42,
  i32Eqz: 0x45,
  i32GeU: 0x4f,
  i64LtU: 0x54,
  i32Add: 0x6a,
  i32And: 0x71,
  i32Or: 0x72,
  add: 0x7c,
  sub: 0x7d,
  mul: 0x7e,
  and: 0x83,
  or: 0x84,
  xor: 0x85,
  shrS: 0x87,
  shrU: 0x88,
  rotl: 0x89,
  rotr: 0x8a,
  wrap: 0xa7,
  extendU: 0xad,
} as const;

export interface ModuleWriter {
  /** Writes bytes: instructions, types, and numbers below 128. */
  put(...bytes: readonly number[]): void;
  /** Writes an unsigned number of at most 32 bits. */
  unsigned(value: number): void;
  i32(value: number): void;
  i64(value: bigint): void;
  /** Writes content with a length prefix. */
  sized(write: () => void): void;
  bytes(): Uint8Array<ArrayBuffer>;
}

/** Lengths are written after their content, and therefore always take five bytes. */
const lengthBytes = 5;

/** @param size maximum bytes of the module */
export function openModuleWriter(size: number): ModuleWriter {
  const buffer = new Uint8Array(size);
  let at = 0;

  function put(...bytes: readonly number[]): void {
    for (const byte of bytes) buffer[at++] = byte;
  }

  return {
    put,
    unsigned(value) {
      let left = value;
      for (; left > 0x7f; left >>>= 7) buffer[at++] = (left & 0x7f) | 0x80;
      buffer[at++] = left;
    },
    i32(value) {
      buffer[at++] = op.i32Const;
      writeSigned(BigInt(value));
    },
    i64(value) {
      buffer[at++] = op.i64Const;
      writeSigned(BigInt.asIntN(64, value));
    },
    sized(write) {
      const lengthAt = at;
      at += lengthBytes;
      write();
      let length = at - lengthAt - lengthBytes;
      for (let i = 0; i < lengthBytes; i++, length >>>= 7) {
        buffer[lengthAt + i] = (length & 0x7f) | (i < lengthBytes - 1 ? 0x80 : 0);
      }
    },
    bytes: () => buffer.slice(0, at),
  };

  function writeSigned(value: bigint): void {
    let left = value;
    for (;;) {
      const byte = Number(left & 0x7fn);
      left >>= 7n;
      const isLast = left === (byte & 0x40 ? -1n : 0n);
      buffer[at++] = isLast ? byte : byte | 0x80;
      if (isLast) return;
    }
  }
}
