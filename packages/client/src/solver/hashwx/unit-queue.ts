// Queue of a challenge's units: blocks of nonces of its parts, until each part is solved.

/** HashWX challenge, as issued by the service. */
export interface HashwxTask {
  readonly algorithm: string;
  /** Price in bits: SHA-256 hashes of the same cost, as a power of two. */
  readonly difficulty: number;
  /** 64 hexadecimal digits. */
  readonly salt: string;
  readonly parts: number;
  /** Expected hashes per part, 2 to 2^32. */
  readonly part_hashes: number;
  /** Nonces per function. */
  readonly nonces_per_function: number;
}

export interface Unit {
  readonly part: number;
  readonly block: number;
}

interface UnitQueue {
  /** Solutions of the parts, joined by dots; undefined before all are solved. */
  readonly solution: string | undefined;
  /**
   * Returns the next unit, from the part with the fewest workers: once a part is solved, further work on it is lost.
   * Undefined if all parts are solved.
   */
  take(): Unit | undefined;
  /** Puts an unfinished unit back. */
  putBack(unit: Unit): void;
  /** Ends a unit without a solution. */
  finish(unit: Unit): void;
  /** Records the solution of a part. */
  solve(unit: Unit, number: number): void;
  isSolved(part: number): boolean;
}

interface Part {
  /** Undefined before it is solved. */
  number: number | undefined;
  next: number;
  active: number;
  readonly returned: number[];
}

export function openUnitQueue({ parts: count }: Pick<HashwxTask, 'parts'>): UnitQueue {
  const parts = Array.from({ length: count }, (): Part => {
    return { number: undefined, next: 0, active: 0, returned: [] };
  });
  const isOpen = ({ number }: Part) => number === undefined;

  return {
    get solution() {
      return parts.some(isOpen) ? undefined : parts.map(({ number }) => number).join('.');
    },
    take() {
      const open = parts.filter(isOpen);
      const [least] = open.toSorted((a, b) => a.active - b.active);
      if (least === undefined) return undefined;
      least.active++;
      return { part: parts.indexOf(least), block: least.returned.pop() ?? least.next++ };
    },
    putBack({ part, block }) {
      parts[part]!.active--;
      parts[part]!.returned.push(block);
    },
    finish({ part }) {
      parts[part]!.active--;
    },
    solve({ part }, number) {
      parts[part]!.active--;
      parts[part]!.number ??= number;
    },
    isSolved: (part) => !isOpen(parts[part]!),
  };
}
