// Fetches challenges and solves them, each in its time.

import type { SearchProgress, Solver } from '../solver/solver.js';
import type { PowChallenge } from '../wire.js';
import type { ChallengeOptions } from './challenge-options.js';
import type { ShownEffort, WorkProgress } from './challenge-state.js';
import { fetchEffortChallenge, fetchImageChallenge, fetchPowChallenge } from './fetch-challenge.js';
import { type HeldEffort, type HeldImage, type HeldWork, isOver } from './held-challenge.js';
import { type Lifetime, readClocks, startLifetime } from './lifetime.js';
import { solveEffort, solvePow } from './solve-challenge.js';
import { startPatience } from './time-limits.js';

/** What is made under. */
export interface Order {
  readonly scope: string | undefined;
  readonly presets?: readonly string[] | undefined;
  readonly minDifficulty?: number | undefined;
  readonly signal: AbortSignal;
}

/** Each resolves with null when the time of the challenge was over before it was solved. */
export interface Workshop {
  makeImage(order: Order): Promise<HeldImage>;
  /** Goes on with the challenge of a search that was aborted: nothing is lost with it, as each guess is as good as any other. */
  makeWork(order: Order, report: (progress: WorkProgress) => void): Promise<HeldWork | null>;
  makeEffort(order: Order, report: (at: ShownEffort) => void): Promise<HeldEffort | null>;
  /** Forgets the challenge of an aborted search. */
  clear(): void;
}

export function openWorkshop(options: ChallengeOptions, solver: Solver): Workshop {
  const { chunkSize, maxHashes, onProgress } = options;
  const searching = {
    solver,
    ...(chunkSize === undefined ? {} : { chunkSize }),
    ...(maxHashes === undefined ? {} : { maxHashes }),
  };
  let unsolved: { challenge: PowChallenge; lifetime: Lifetime } | null = null;

  return {
    async makeImage({ presets, signal }) {
      const asked = readClocks();
      const { preset } = options;
      const accepted = presets && !presets.includes(preset ?? 'default') ? presets[0] : preset;
      const { token, url, expires_in } = await fetchImageChallenge(accepted, {
        ...options,
        signal,
      });
      return { kind: 'image', token, url, lifetime: startLifetime(asked, expires_in) };
    },

    async makeWork({ scope, minDifficulty = options.minDifficulty, signal }, report) {
      if (unsolved === null || isOver(unsolved)) {
        const asked = readClocks();
        const challenge = await fetchPowChallenge({ ...options, scope, minDifficulty, signal });
        unsolved = { challenge, lifetime: startLifetime(asked, challenge.expires_in) };
      }
      const { challenge, lifetime } = unsolved;
      report(progressOf(challenge.difficulty));
      const reportAll = (progress: SearchProgress) => {
        if (signal.aborted) return;
        report(progressOf(challenge.difficulty, progress));
        onProgress?.(progress);
      };
      const found = await inTime(lifetime, signal, (inner) =>
        solvePow(challenge, { ...searching, signal: inner, onProgress: reportAll }),
      ).catch((error: unknown) => {
        if (!signal.aborted) unsolved = null;
        throw error;
      });
      unsolved = null;
      if (found === null) return null;
      report(progressOf(challenge.difficulty, found));
      return { token: challenge.token, nonce: found.nonce, lifetime };
    },

    async makeEffort({ scope, signal }, report) {
      const asked = readClocks();
      const challenge = await fetchEffortChallenge({ ...options, scope, signal });
      const { token, parts, part_difficulty: difficulty, expires_in } = challenge;
      const lifetime = startLifetime(asked, expires_in);
      const reportPart = (part: number, progress?: SearchProgress) =>
        report({
          kind: 'effort',
          part,
          parts,
          solved: part === parts,
          progress: progressOf(difficulty, progress),
        });
      reportPart(0);
      const onPart = (progress: SearchProgress, part: number) => {
        if (signal.aborted) return;
        reportPart(part, progress);
        onProgress?.(progress);
      };
      const solved = await inTime(lifetime, signal, (inner) =>
        solveEffort(challenge, { ...searching, signal: inner, onProgress: onPart }),
      );
      if (solved === null) return null;
      reportPart(parts);
      return { kind: 'effort', token, answer: solved.answer, lifetime };
    },

    clear() {
      unsolved = null;
    },
  };
}

function progressOf(difficulty: number, { hashes, ms } = { hashes: 0, ms: 0 }): WorkProgress {
  return { difficulty, hashes, ms, chance: -Math.expm1(-hashes / 2 ** difficulty) };
}

/** Solves until the lifetime is over; then null. */
async function inTime<T>(
  lifetime: Lifetime,
  signal: AbortSignal,
  solve: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const patience = startPatience(lifetime.leftMs(), [signal]);
  try {
    const solved = await solve(patience.signal);
    return isOver({ lifetime }) ? null : solved;
  } catch (error) {
    if (!patience.signal.aborted || signal.aborted) throw error;
    return null;
  } finally {
    patience.end();
  }
}
