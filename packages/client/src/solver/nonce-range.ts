// Nonce range, disjoint from all others, searched from its start.
import { prefixLength, suffixCount } from './block-layout.js';
import { type Kernel, suffixStep } from './kernel.js';
import type { SearchTask } from './worker-messages.js';

/** Number of the first range, the beginning of its nonces: six digits without a leading zero. */
const firstRange = 100_000;

export interface NonceRange {
  /** Nonces tried so far. */
  readonly hashes: number;
  /** Tries `count` more nonces, rounded up to a multiple of 4. @returns one with the zero bits, if any */
  search(count: number): string | undefined;
}

/** @param index 0 to 899,999 */
export function openNonceRange(kernel: Kernel, { head, difficulty }: SearchTask, index: number): NonceRange {
  const rangeDigits = String(firstRange + index);
  const counterDigits = prefixLength - head.length - rangeDigits.length;
  let hashes = 0;
  let prefixes = 0;
  let suffix = suffixCount;
  let digits = '';

  function nextPrefix(): void {
    digits = rangeDigits + String(prefixes).padStart(counterDigits, '0');
    kernel.prepare(head + digits);
    prefixes++;
    suffix = 0;
  }

  return {
    get hashes() {
      return hashes;
    },
    search(count) {
      let left = Math.ceil(count / suffixStep) * suffixStep;
      // Without workers a page's forms share a kernel: another form may have prepared it since the last call.
      if (suffix < suffixCount) kernel.prepare(head + digits);
      while (left > 0) {
        if (suffix === suffixCount) nextPrefix();
        const to = Math.min(suffixCount, suffix + left);
        const found = kernel.search(difficulty, suffix, to);
        if (found >= 0) {
          hashes += found + 1 - suffix;
          return digits + String(found).padStart(3, '0');
        }
        hashes += to - suffix;
        left -= to - suffix;
        suffix = to;
      }
      return undefined;
    },
  };
}
