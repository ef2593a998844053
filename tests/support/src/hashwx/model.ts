// HashWX in BigInts, literally after its definition: slow, as a reference for the fast implementations.

const mask = (1n << 64n) - 1n;
const wrap = (x: bigint) => x & mask;
const shr = (x: bigint, n: bigint) => x >> n;
const sar = (x: bigint, n: bigint) => wrap(BigInt.asIntN(64, x) >> n);
const rotr = (x: bigint, n: bigint) => wrap((x >> n) | (x << (64n - n)));
const rotl = (x: bigint, n: bigint) => rotr(x, 64n - n);
const low = (x: bigint) => x & 0xffff_ffffn;
const high = (x: bigint) => x >> 32n;

type Words4 = [bigint, bigint, bigint, bigint];

function round([a, b, c, d]: Words4): Words4 {
  a = wrap(a + b);
  c = wrap(c + d);
  b = rotl(b, 13n) ^ a;
  d = rotl(d, 16n) ^ c;
  a = rotl(a, 32n);
  c = wrap(c + b);
  a = wrap(a + d);
  b = rotl(b, 17n) ^ c;
  d = rotl(d, 21n) ^ a;
  c = rotl(c, 32n);
  return [a, b, c, d];
}

function rounds(count: number, words: Words4): Words4 {
  return count === 0 ? words : rounds(count - 1, round(words));
}

/** Returns the first `count` words of the stream of a key with a salt. */
function stream([k0, k1]: readonly [bigint, bigint], salt: bigint, count: number): bigint[] {
  let v: Words4 = [
    0x736f6d6570736575n ^ k0,
    0x646f72616e646f6dn ^ k1,
    0x6c7967656e657261n ^ k0,
    0x7465646279746573n ^ k1 ^ salt,
  ];
  v = round(v);
  v = rounds(3, [v[0] ^ salt, v[1], v[2] ^ 0xbbn, v[3]]);
  const words: bigint[] = [];
  while (words.length < count) {
    words.push(v[3], v[2], v[1], v[0]);
    v = rounds(4, [v[0] ^ k0, v[1] ^ k1, v[2] ^ k0, v[3] ^ k1]);
  }
  return words.slice(0, count);
}

/** Permitted values of a permutation at each position. */
const allowed = ['02467', '234567', '134567', '14567', '13567', '1367', '01357', '02'];

function permutationsFrom(begun: string): string[] {
  const values = allowed[begun.length];
  if (values === undefined) return [begun];
  return [...values]
    .filter((value) => !begun.includes(value))
    .flatMap((value) => permutationsFrom(begun + value));
}

/** The 625 permutations from which sources are drawn, in lexicographic order. */
export const permutations: readonly string[] = permutationsFrom('');

/** The instruction of one slot. */
export interface Slot {
  /** 0 to 2 MUL, 3 RMCG, 4 to 12 XAS. */
  readonly opcode: number;
  readonly dst: number;
  readonly src: number;
  readonly imm: bigint;
}

function program(g: readonly bigint[]): Slot[] {
  const D = [0];
  for (let i = 1; i <= 7; i++) {
    const j = Number(high(g[i - 1]!) % BigInt(i + 1));
    if (j !== i) D[i] = D[j]!;
    D[j] = i;
  }
  const P = [...permutations[Number(g[7]! % 625n)]!].map(Number);
  return Array.from({ length: 8 }, (_, slot) => {
    const dst = D[slot]!;
    const w = g[8 + slot]!;
    if (slot === 0) return { opcode: 3, dst, src: 8 + Number(g[7]! % 2n), imm: 1n + (w % 63n) };
    const src = D[P[slot]!]!;
    if (slot % 2 === 0) {
      const opcode = Number(low(g[slot - 1]!) % 3n);
      return { opcode, dst, src, imm: [1n, 9n, 33n][Number(w % 3n)]! };
    }
    const opcode = 4 + Number(low(g[slot - 1]!) % 9n);
    return { opcode, dst, src, imm: 1n + (w % (opcode <= 6 ? 63n : 3n)) };
  });
}

/** The result of an instruction. */
function execute(opcode: number, d: bigint, n: bigint, s: bigint): bigint {
  if (opcode < 3) return wrap([d | n, d ^ n, wrap(d + n)][opcode]! * s);
  if (opcode === 3) return rotr(wrap(d * s), n);
  const shifted = [rotr, sar, shr][Math.floor((opcode - 4) / 3)]!(d, n);
  return wrap([shifted ^ s, shifted + s, shifted - s][(opcode - 4) % 3]!);
}

/** A function, determined by a 32-byte seed. */
interface Model {
  readonly programKey: readonly [bigint, bigint];
  readonly inputKey: readonly [bigint, bigint];
  /** The words from which the programs are made. */
  readonly words: readonly bigint[];
  readonly programs: readonly (readonly Slot[])[];
  /** Hashes a nonce, and returns every inner value with the hash. */
  trace(nonce: bigint): Trace;
}

interface Trace {
  /** Ten registers each. */
  readonly registersInit: readonly bigint[];
  readonly registersAfterWrite: readonly bigint[];
  readonly registersAfterRead: readonly bigint[];
  /** 2,048 bytes. */
  readonly memory: Uint8Array;
  readonly jumpsWrite: number;
  readonly jumpsRead: number;
  readonly hash: bigint;
}

/** Creates the function of a 32-byte seed. */
export function makeModel(seed: Uint8Array): Model {
  const bytes = new DataView(seed.buffer, seed.byteOffset, 32);
  const [s0, s1, s2, s3] = [0, 8, 16, 24].map((at) => bytes.getBigUint64(at, true)) as Words4;
  const words = stream([s0, s1], mask, 512);
  const programs = Array.from({ length: 32 }, (_, i) => program(words.slice(16 * i, 16 * i + 16)));

  function trace(nonce: bigint): Trace {
    const R = stream([s2, s3], nonce, 8);
    R.push((R[4]! & ~7n) | 3n, (R[7]! & ~7n) | 5n);
    const registersInit = [...R];
    const memory = new Uint8Array(2048);
    const view = new DataView(memory.buffer);

    function runPhase(sourceOf: (slot: Slot) => bigint, afterProgram: (i: number) => void): number {
      let jumps = 0;
      for (const [i, slots] of programs.entries()) {
        const run = (slot: Slot) => {
          R[slot.dst] = execute(slot.opcode, R[slot.dst]!, slot.imm, sourceOf(slot));
        };
        for (;;) {
          slots.slice(0, 7).forEach(run);
          // The result of slot 0; no later slot of the same program writes its register.
          const f = R[slots[0]!.dst]!;
          if ((f & 32n) !== 0n || jumps === 32) break;
          jumps++;
        }
        run(slots[7]!);
        afterProgram(i);
      }
      return jumps;
    }

    const jumpsWrite = runPhase(
      ({ src }) => R[src]!,
      (i) => {
        for (let j = 0; j < 8; j++) view.setBigUint64(2040 - 64 * i - 8 * j, R[j]!, true);
      },
    );
    const registersAfterWrite = [...R];
    const jumpsRead = runPhase(
      ({ opcode, src }) => (opcode === 3 ? R[src]! : view.getBigUint64(Number(R[src]! & 2040n), true)),
      () => {},
    );
    const registersAfterRead = [...R];
    const R3 = round(R.slice(0, 4) as Words4)[3];
    const R7 = round(R.slice(4, 8) as Words4)[3];
    return {
      registersInit,
      registersAfterWrite,
      registersAfterRead,
      memory,
      jumpsWrite,
      jumpsRead,
      hash: R3 ^ R7 ^ R[9]!,
    };
  }

  return { programKey: [s0, s1], inputKey: [s2, s3], words, programs, trace };
}
