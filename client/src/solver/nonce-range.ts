// One of many disjoint rows of nonces, tried from its beginning.
import { stemLength, tailCount } from './block-layout.js';
import { type Kernel, tailStep } from './kernel.js';
import type { SearchTask } from './solver-state.js';

/** Lanes are numbered from 0 and have their number in the nonce's first digits, none of them a leading zero. */
const firstLane = 100_000;

export interface Lane {
  /** How many were tried so far. */
  readonly hashes: number;
  /** Tries `count` more, rounded up to a multiple of 4. @returns the nonce, when one of them has the bits */
  search(count: number): string | undefined;
}

/** @param lane 0 to 899,999 */
export function openLane(kernel: Kernel, { head, difficulty }: SearchTask, lane: number): Lane {
  const laneDigits = String(firstLane + lane);
  const stemDigits = stemLength - head.length - laneDigits.length;
  let hashes = 0;
  let stems = 0;
  let tail = tailCount;
  let digits = '';

  function nextStem(): void {
    digits = laneDigits + String(stems).padStart(stemDigits, '0');
    kernel.prepare(head + digits);
    stems++;
    tail = 0;
  }

  return {
    get hashes() {
      return hashes;
    },
    search(count) {
      let left = Math.ceil(count / tailStep) * tailStep;
      while (left > 0) {
        if (tail === tailCount) nextStem();
        const to = Math.min(tailCount, tail + left);
        const found = kernel.search(difficulty, tail, to);
        if (found >= 0) {
          hashes += found + 1 - tail;
          return digits + String(found).padStart(3, '0');
        }
        hashes += to - tail;
        left -= to - tail;
        tail = to;
      }
      return undefined;
    },
  };
}
