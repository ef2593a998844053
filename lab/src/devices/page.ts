// Runs in a browser: solves a challenge as a form does.
import { openSolver, type SolverState } from '@tollgate/client/challenge';

export interface Solve {
  /** Milliseconds until the search began. */
  readonly startMs: number;
  readonly searchMs: number;
  readonly hashes: number;
  readonly state: SolverState;
}

let ended: { readonly value: Solve } | { readonly error: string } | undefined;

const hexDigits = (digits: number) =>
  Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('');

async function solve(difficulty: number): Promise<Solve> {
  const solver = openSolver();
  const startedMs = performance.now();
  const { ms, hashes, state } = await solver.search(
    { head: hexDigits(32), difficulty },
    { maxHashes: Number.POSITIVE_INFINITY },
  );
  const startMs = performance.now() - startedMs - ms;
  solver.close();
  return { startMs, searchMs: ms, hashes, state };
}

const bench = {
  /** The result of the last job; undefined while it runs. */
  get ended() {
    return ended;
  },

  /** @param difficulty leading zero bits */
  solve(difficulty: number): void {
    ended = undefined;
    solve(difficulty).then(
      (value) => {
        ended = { value };
      },
      (error: unknown) => {
        ended = { error: String(error) };
      },
    );
  },
};
Object.assign(globalThis, { bench });
