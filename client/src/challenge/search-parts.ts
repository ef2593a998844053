// Searches the nonces of an `effort` challenge.
import type { SearchProgress, Solver } from '../solver/solver.js';
import type { EffortChallenge } from '../wire.js';
import type { SolvedEffort, SolveEffortOptions } from './challenge-options.js';

/**
 * Searches one nonce for each part, one part after the other.
 * @param report also called with zero progress when a part begins; `all` is the progress of all parts
 */
export async function searchParts(
  solver: Solver,
  { salt, parts, part_difficulty: difficulty }: Pick<EffortChallenge, 'salt' | 'parts' | 'part_difficulty'>,
  options: Omit<SolveEffortOptions, 'onProgress'>,
  report: (progress: SearchProgress, part: number, all: SearchProgress) => void,
): Promise<SolvedEffort> {
  const nonces: string[] = [];
  let done: SearchProgress | null = null;
  for (let part = 0; part < parts; part++) {
    const before = done;
    const onProgress = (now: SearchProgress) => report(now, part, sum(before, now));
    if (before !== null) onProgress({ hashes: 0, ms: 0, state: before.state });
    const head = salt + String(part).padStart(2, '0');
    const found = await solver.search({ head, difficulty }, { ...options, onProgress });
    nonces.push(found.nonce);
    done = sum(before, found);
  }
  return { ...done!, answer: nonces.join('.') };
}

function sum(before: SearchProgress | null, { hashes, ms, state }: SearchProgress): SearchProgress {
  return { hashes: (before?.hashes ?? 0) + hashes, ms: (before?.ms ?? 0) + ms, state };
}
