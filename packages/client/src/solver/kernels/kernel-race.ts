// Lets two kernels of an instruction set search in turn, then continues with the faster one. The winner depends on the
// engine, and shows only in optimised code: docs/decisions/kernels.md.
import type { Kernel } from '../kernel.js';

/** Guesses before the race: most searches at the default price end earlier, with the kernel that starts faster. */
const headStart = 2 ** 18;
/** Long enough for a clock with millisecond resolution. */
const turnMs = 30;
/** Engines optimise a kernel during its first turns. */
const turnsEach = 6;

/** Measurements of both kernels. */
interface Runner {
  readonly kernel: Kernel;
  turns: number;
  /** Guesses per millisecond in its best turn: other load can only reduce the speed. */
  best: number;
}

/**
 * Repeats no guess: the kernels share the search.
 * @param first searches until the race, and always if the second cannot be opened
 * @param openSecond called once, at the start of the race
 */
export function raceKernels(first: Kernel, openSecond: () => Promise<Kernel>): Kernel {
  let current = first;
  let prepared: Kernel | undefined;
  let prefix = '';
  let guesses = 0;
  let hasBegun = false;
  let runners: Runner[] = [];
  let turn = { hashes: 0, ms: 0 };

  function begin(): void {
    hasBegun = true;
    openSecond().then(
      (second) => {
        runners = [first, second].map((kernel) => ({ kernel, turns: 0, best: 0 }));
        turn = { hashes: 0, ms: 0 };
      },
      () => undefined,
    );
  }

  function endTurn(): void {
    const runner = runners.find(({ kernel }) => kernel === current)!;
    runner.best = Math.max(runner.best, turn.hashes / turn.ms);
    runner.turns++;
    turn = { hashes: 0, ms: 0 };
    const [one, two] = runners as [Runner, Runner];
    if (one.turns < turnsEach || two.turns < turnsEach) {
      current = (runner === one ? two : one).kernel;
      return;
    }
    current = (two.best > one.best ? two : one).kernel;
    runners = [];
  }

  function prepare(next: string): void {
    prefix = next;
    prepared = current;
    current.prepare(next);
  }

  return {
    get name() {
      return current.name;
    },
    path: first.path,
    prepare,
    search(difficulty, from, to) {
      if (prepared !== current) prepare(prefix);
      return current.search(difficulty, from, to);
    },
    onSlice(hashes, ms) {
      guesses += hashes;
      if (!hasBegun && guesses >= headStart) begin();
      if (runners.length === 0) return false;
      turn.hashes += hashes;
      turn.ms += ms;
      const before = current;
      if (turn.ms >= turnMs) endTurn();
      return current !== before;
    },
  };
}
