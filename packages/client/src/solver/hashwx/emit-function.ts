// Writes the WebAssembly module of one function: its 32 programs as straight-line code, its registers as local variables.
import { type ModuleWriter, op, openModuleWriter } from './module-writer.js';

/** Programs and input key of a function, as made by the static module. */
interface FunctionCode {
  /** Opcode, dst, src and imm of 8 slots, for each of 32 programs. */
  readonly programs: Uint8Array;
  readonly inputKey: readonly [bigint, bigint];
}

/** Offset of a hash's 2,048 bytes in the imported memory. */
interface EmitOptions {
  readonly memoryOffset: number;
}

/** SipHash constants: initial state of the word stream. */
const streamConstants = [
  0x736f6d6570736575n,
  0x646f72616e646f6dn,
  0x6c7967656e657261n,
  0x7465646279746573n,
] as const;

/** A module has 11 to 14 kB. */
const mostBytes = 32_768;
const programCount = 32;
const hashBytes = 2048;

/** Local variables of `hash`: the nonce, registers R0 to R9, and the jumps of a phase. */
const register = (index: number) => 1 + index;
const jumps = 11;

/**
 * Returns a module that imports a memory as `m.m` and exports `s`, which works like `scan` of the static module. The hash
 * is a separate function: engines replace slow code with fast code at function calls.
 */
export function emitFunction(code: FunctionCode, { memoryOffset }: EmitOptions): Uint8Array<ArrayBuffer> {
  const writer = openModuleWriter(mostBytes);
  const { put, sized } = writer;
  put(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  // Types: the hash, and the scan.
  put(1);
  sized(() => put(2, 0x60, 1, op.i64, 1, op.i64, 0x60, 3, op.i64, op.i32, op.i64, 1, op.i32));
  // Imports: m.m, a memory of one page or more.
  put(2);
  sized(() => put(1, 1, 0x6d, 1, 0x6d, 2, 0, 1));
  put(3);
  sized(() => put(2, 0, 1));
  // Exports: s, function 1.
  put(7);
  sized(() => put(1, 1, 0x73, 0, 1));
  put(10);
  sized(() => {
    put(2);
    sized(() => emitHash(writer, code, memoryOffset));
    sized(() => emitScan(writer));
  });
  return writer.bytes();
}

function emitHash(writer: ModuleWriter, { programs, inputKey }: FunctionCode, memoryOffset: number): void {
  const { put, i32, unsigned } = writer;
  put(2, 10, op.i64, 1, op.i32);
  emitRegisters(writer, inputKey);
  for (const reads of [false, true]) {
    i32(0);
    put(op.set, jumps);
    for (let program = 0; program < programCount; program++) {
      const slots = programs.subarray(32 * program, 32 * program + 32);
      put(op.loop, op.nothing);
      for (let slot = 0; slot < 7; slot++) emitSlot(writer, slots.subarray(4 * slot), reads, memoryOffset);
      // 32 jumps at most: 32 itself has the tested bit.
      put(op.get, register(slots[1]!), op.wrap, op.get, jumps, op.i32Or);
      i32(32);
      put(op.i32And, op.i32Eqz, op.if, op.nothing, op.get, jumps);
      i32(1);
      put(op.i32Add, op.set, jumps, op.br, 1, op.end, op.end);
      emitSlot(writer, slots.subarray(28), reads, memoryOffset);
      if (reads) continue;
      for (let index = 0; index < 8; index++) {
        i32(0);
        put(op.get, register(index), op.store, 3);
        unsigned(memoryOffset + hashBytes - 8 - 64 * program - 8 * index);
      }
    }
  }
  for (const first of [0, 4]) emitRound(writer, [first, first + 1, first + 2, first + 3].map(register));
  put(op.get, register(3), op.get, register(7), op.xor, op.get, register(9), op.xor, op.end);
}

/** Sets the registers from the word stream of the input key, with the nonce as salt. */
function emitRegisters(writer: ModuleWriter, [k0, k1]: readonly [bigint, bigint]): void {
  const { put, i64 } = writer;
  const keys = [k0, k1, k0, k1] as const;
  // The stream returns its last word first.
  const words = [3, 2, 1, 0].map(register);
  const next = [7, 6, 5, 4].map(register);
  for (const [i, word] of words.entries()) {
    i64(streamConstants[i]! ^ keys[i]!);
    if (i === 3) put(op.get, 0, op.xor);
    put(op.set, word);
  }
  emitRound(writer, words);
  put(op.get, words[0]!, op.get, 0, op.xor, op.set, words[0]!, op.get, words[2]!);
  i64(0xbbn);
  put(op.xor, op.set, words[2]!);
  for (let i = 0; i < 3; i++) emitRound(writer, words);
  for (const [i, word] of next.entries()) {
    put(op.get, words[i]!);
    i64(keys[i]!);
    put(op.xor, op.set, word);
  }
  for (let i = 0; i < 4; i++) emitRound(writer, next);
  for (const [made, source, low] of [
    [8, 4, 3n],
    [9, 7, 5n],
  ] as const) {
    put(op.get, register(source));
    i64(-8n);
    put(op.and);
    i64(low);
    put(op.or, op.set, register(made));
  }
}

/** Writes a stream round on four local variables. */
function emitRound({ put, i64 }: ModuleWriter, [a = 0, b = 0, c = 0, d = 0]: readonly number[]): void {
  const add = (x: number, y: number) => put(op.get, x, op.get, y, op.add, op.set, x);
  const rotate = (x: number, bits: bigint, y?: number) => {
    put(op.get, x);
    i64(bits);
    put(op.rotl);
    if (y !== undefined) put(op.get, y, op.xor);
    put(op.set, x);
  };
  add(a, b);
  add(c, d);
  rotate(b, 13n, a);
  rotate(d, 16n, c);
  rotate(a, 32n);
  add(c, b);
  add(a, d);
  rotate(b, 17n, c);
  rotate(d, 21n, a);
  rotate(c, 32n);
}

const mulFirst = [op.or, op.xor, op.add] as const;
const xasShift = [op.rotr, op.shrS, op.shrU] as const;
const xasLast = [op.xor, op.add, op.sub] as const;

/** Writes one instruction. @param reads whether its source is a memory word */
function emitSlot(
  { put, i32, i64, unsigned }: ModuleWriter,
  [opcode = 0, dst = 0, src = 0, imm = 0]: Uint8Array,
  reads: boolean,
  memoryOffset: number,
): void {
  const putSource = () => {
    put(op.get, register(src));
    // Slot 0 always uses the register.
    if (!reads || opcode === 3) return;
    put(op.wrap);
    i32(hashBytes - 8);
    put(op.i32And, op.load, 3);
    unsigned(memoryOffset);
  };
  put(op.get, register(dst));
  if (opcode === 3) {
    putSource();
    put(op.mul);
    i64(BigInt(imm));
    put(op.rotr);
  } else {
    i64(BigInt(imm));
    put(opcode < 3 ? mulFirst[opcode]! : xasShift[Math.floor((opcode - 4) / 3)]!);
    putSource();
    put(opcode < 3 ? op.mul : xasLast[(opcode - 4) % 3]!);
  }
  put(op.set, register(dst));
}

/** Local variables of `scan`: first nonce, count, threshold, and offset. */
function emitScan({ put, i32 }: ModuleWriter): void {
  put(1, 1, op.i32, op.block, op.nothing, op.loop, op.nothing);
  put(op.get, 3, op.get, 1, op.i32GeU, op.brIf, 1);
  put(op.get, 0, op.get, 3, op.extendU, op.add, op.call, 0, op.get, 2, op.i64LtU, op.if, op.nothing);
  put(op.get, 3, op.return, op.end);
  put(op.get, 3);
  i32(1);
  put(op.i32Add, op.set, 3, op.br, 0, op.end, op.end);
  i32(-1);
  put(op.end);
}
