// Solves HashWX challenges as described in docs/challenges/hashwx.md, with the module that the services use for checks.

import { createHash } from 'node:crypto';
import { openHashwx } from '@tollgate/shared/pow';

/** The challenge fields that determine its solution. */
interface HashwxFields {
  readonly salt: string;
  readonly parts: number;
  readonly part_hashes: number;
  readonly nonces_per_function: number;
}

const hashwx = openHashwx();

/** Returns the smallest number of each part, joined by dots. */
export function findHashwxNumbers(challenge: HashwxFields): string {
  return Array.from({ length: challenge.parts }, (_, part) => findNumber(challenge, part)).join('.');
}

function findNumber({ salt, part_hashes, nonces_per_function }: HashwxFields, part: number): number {
  const threshold = 2n ** 64n / BigInt(part_hashes);
  let seed = new Uint8Array();
  for (let number = 0; ; number++) {
    if (number % nonces_per_function === 0) {
      const message = Buffer.alloc(53);
      message.write('captcha-hashwx-1');
      message.write(salt, 16, 'hex');
      message.writeUInt8(part, 48);
      message.writeUInt32BE(number / nonces_per_function, 49);
      seed = createHash('sha256').update(message).digest();
    }
    if (hashwx.hash(seed, BigInt(number)) < threshold) return number;
  }
}
