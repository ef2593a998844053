// Values that every implementation of HashWX must give.
//
// `vectors.json` and `hashes.txt` were made by running the original, github.com/tevador/hashwx, before its version 1.0.0,
// interpreted and compiled. The original itself publishes four hashes in `src/tests.c`, at commit 47e35d95: `publishedHashes`.
import { readFileSync } from 'node:fs';

const folder = new URL('../../../src/hashwx/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

/** All inner values of one hash. Words and registers are 16 hexadecimal digits, seeds bytes in hexadecimal, nonces decimal. */
interface TraceVector {
  readonly seed: string;
  readonly nonce: string;
  readonly programKey: readonly string[];
  readonly inputKey: readonly string[];
  /** The first 16. */
  readonly words: readonly string[];
  /** `[opcode, dst, src, imm]` for each slot. */
  readonly program0: readonly (readonly number[])[];
  readonly program31: readonly (readonly number[])[];
  readonly programsSha256: string;
  readonly registersInit: readonly string[];
  readonly registersAfterWrite: readonly string[];
  readonly registersAfterRead: readonly string[];
  readonly jumpsWrite: number;
  readonly jumpsRead: number;
  readonly memoryFirstWord: string;
  readonly memoryLastWord: string;
  readonly memorySha256: string;
  readonly hash: string;
}

/** A solved challenge. */
interface ChallengeVector {
  readonly seed: string;
  readonly d: number;
  readonly threshold: string;
  readonly solution: string;
  readonly parts: readonly {
    readonly part: number;
    readonly block: number;
    readonly functionSeed: string;
    readonly number: string;
    readonly hash: string;
  }[];
}

interface Vectors {
  readonly permutations: {
    readonly count: number;
    readonly samples: Readonly<Record<string, string>>;
    readonly sha256OfJoinedText: string;
  };
  readonly traces: readonly TraceVector[];
  readonly challenge: ChallengeVector;
}

export const vectors = JSON.parse(read('vectors.json')) as Vectors;

/** The hashes that the original publishes. Its texts are seeds, filled with zeros. */
export const publishedHashes = [
  ['This is a test seed for hashwx', 0n, 0x06b6_3807_5f29_d804n],
  ['This is a test seed for hashwx', 123_456n, 0xb448_9a88_2aac_21d3n],
  ['Lorem ipsum dolor sit amet', 123_456n, 0xe3b8_e01e_61aa_0289n],
  ['Lorem ipsum dolor sit amet', 987_654_321_123_456_789n, 0x776c_7320_c85a_7842n],
].map(([text, nonce, hash]) => ({
  seed: Buffer.from(String(text).padEnd(32, '\0')),
  nonce: BigInt(nonce ?? 0),
  hash: BigInt(hash ?? 0),
}));

/** 240 seeds, each with five nonces and their hashes. */
export const hashVectors = read('hashes.txt')
  .trim()
  .split('\n')
  .map((line) => {
    const [seed = '', ...pairs] = line.split(' ');
    return {
      seed: Buffer.from(seed, 'hex'),
      hashes: pairs.map((pair) => {
        const [nonce = '', hash = ''] = pair.split(':');
        return { nonce: BigInt(nonce), hash: BigInt(`0x${hash}`) };
      }),
    };
  });

/** Formats a word as the vectors do. */
export function hexWord(word: bigint): string {
  return BigInt.asUintN(64, word).toString(16).padStart(16, '0');
}
