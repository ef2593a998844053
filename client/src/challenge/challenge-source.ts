// Fetches challenges and solves them before they expire.

import type { SearchProgress, Solver } from '../solver/solver.js';
import type { PowChallenge } from '../wire.js';
import type { ChallengeOptions } from './challenge-options.js';
import type { ShownEffort, WorkProgress } from './challenge-state.js';
import { fetchEffortChallenge, fetchImageChallenge, fetchPowChallenge } from './fetch-challenge.js';
import type { PendingEffort, PendingImage, PendingWork } from './pending-submission.js';
import { solveEffort, solvePow } from './solve-challenge.js';
import { isExpired, type Lifetime, readClocks, startLifetime, startTimeout } from './time-limits.js';

/** What a challenge is fetched for. */
export interface ChallengeRequest {
  readonly scope: string | undefined;
  readonly presets?: readonly string[] | undefined;
  readonly minDifficulty?: number | undefined;
  readonly signal: AbortSignal;
}

/** `solveWork` and `solveEffort` resolve with null if the challenge expires before it is solved. */
export interface ChallengeSource {
  fetchImage(request: ChallengeRequest): Promise<PendingImage>;
  /** Continues with the challenge of an aborted search. Nothing is lost by the abort: all guesses are equally likely. */
  solveWork(request: ChallengeRequest, report: (progress: WorkProgress) => void): Promise<PendingWork | null>;
  solveEffort(request: ChallengeRequest, report: (at: ShownEffort) => void): Promise<PendingEffort | null>;
  /** Forgets the challenge of an aborted search. */
  clear(): void;
}

export function openChallengeSource(options: ChallengeOptions, solver: Solver): ChallengeSource {
  const { chunkSize, maxHashes, onProgress } = options;
  const searchOptions = {
    solver,
    ...(chunkSize === undefined ? {} : { chunkSize }),
    ...(maxHashes === undefined ? {} : { maxHashes }),
  };
  let unsolved: { challenge: PowChallenge; lifetime: Lifetime } | null = null;

  return {
    async fetchImage({ presets, signal }) {
      const requestedAt = readClocks();
      const { preset } = options;
      const accepted = presets && !presets.includes(preset ?? 'default') ? presets[0] : preset;
      const { token, url, characters, expires_in } = await fetchImageChallenge(accepted, {
        ...options,
        signal,
      });
      return { kind: 'image', token, url, characters, lifetime: startLifetime(requestedAt, expires_in) };
    },

    async solveWork({ scope, minDifficulty = options.minDifficulty, signal }, report) {
      if (unsolved === null || isExpired(unsolved)) {
        const requestedAt = readClocks();
        const challenge = await fetchPowChallenge({ ...options, scope, minDifficulty, signal });
        unsolved = { challenge, lifetime: startLifetime(requestedAt, challenge.expires_in) };
      }
      const { challenge, lifetime } = unsolved;
      report(progressOf(challenge.difficulty));
      const reportAll = (progress: SearchProgress) => {
        if (signal.aborted) return;
        report(progressOf(challenge.difficulty, progress));
        onProgress?.(progress);
      };
      const found = await withinLifetime(lifetime, signal, (inner) =>
        solvePow(challenge, { ...searchOptions, signal: inner, onProgress: reportAll }),
      ).catch((error: unknown) => {
        if (!signal.aborted) unsolved = null;
        throw error;
      });
      unsolved = null;
      if (found === null) return null;
      report(progressOf(challenge.difficulty, found));
      return { token: challenge.token, nonce: found.nonce, lifetime };
    },

    async solveEffort({ scope, signal }, report) {
      const requestedAt = readClocks();
      const challenge = await fetchEffortChallenge({ ...options, scope, signal });
      const { token, parts, part_difficulty: difficulty, expires_in } = challenge;
      const lifetime = startLifetime(requestedAt, expires_in);
      const reportPart = (part: number, progress?: SearchProgress, all = noProgress) =>
        report({
          kind: 'effort',
          part,
          parts,
          solved: part === parts,
          progress: progressOf(difficulty, progress),
          all,
        });
      reportPart(0);
      const onPart = (progress: SearchProgress, part: number, all: SearchProgress) => {
        if (signal.aborted) return;
        reportPart(part, progress, all);
        onProgress?.(progress);
      };
      const solved = await withinLifetime(lifetime, signal, (inner) =>
        solveEffort(challenge, { ...searchOptions, signal: inner, onProgress: onPart }),
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

const noProgress = { hashes: 0, ms: 0 };

function progressOf(difficulty: number, { hashes, ms } = noProgress): WorkProgress {
  return { difficulty, hashes, ms, chance: -Math.expm1(-hashes / 2 ** difficulty) };
}

/** @returns null if the lifetime ends first */
async function withinLifetime<T>(
  lifetime: Lifetime,
  signal: AbortSignal,
  solve: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const timeout = startTimeout(lifetime.leftMs(), [signal]);
  try {
    const solved = await solve(timeout.signal);
    return isExpired({ lifetime }) ? null : solved;
  } catch (error) {
    if (!timeout.signal.aborted || signal.aborted) throw error;
    return null;
  } finally {
    timeout.clear();
  }
}
