// Lets two kernels of an instruction set search in turn, and goes on with the faster one. Which one that is depends on
// the engine, and shows only in code that the engine has optimised: docs/decisions/kernels.md.
import type { Kernel } from '../kernel.js';

/** Guesses before the race: most searches at the default price end earlier, with the kernel that starts sooner. */
const headStart = 2 ** 18;
/** Long enough for a clock that shows whole milliseconds. */
const turnMs = 30;
/** Engines optimise a kernel during its first turns. */
const turnsEach = 6;

/** What both have shown so far. */
interface Runner {
  readonly kernel: Kernel;
  turns: number;
  /** Guesses per millisecond in its best turn: what else runs on the machine only takes speed away. */
  best: number;
}

/**
 * No guess is made twice: the kernels share the search.
 * @param first searches until the race, and for good if the second cannot be opened
 * @param openSecond called once, when the race begins
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
