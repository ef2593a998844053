// Fetches challenges and solves them before they expire.

import type { SearchProgress, Solver } from '../solver/solver.js';
import type { PowChallenge } from '../wire.js';
import type { ChallengeOptions } from './challenge-options.js';
import type { ShownEffort, WorkProgress } from './challenge-state.js';
import {
  fetchEffortChallenge,
  fetchImageChallenge,
  fetchPowChallenge,
  orWithoutHashwx,
} from './fetch-challenge.js';
import type { PendingEffort, PendingImage, PendingWork } from './pending-submission.js';
import { loadEffort, solveEffort, solvePow } from './solve-challenge.js';
import { isExpired, type Lifetime, readClocks, startLifetime, startTimeout } from './time-limits.js';

/** Parameters of a challenge request. */
interface ChallengeRequest {
  readonly scope: string | undefined;
  readonly presets?: readonly string[] | undefined;
  readonly minDifficulty?: number | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** `solveWork` and `solveEffort` resolve with null if the challenge expires before it is solved. */
interface ChallengeSource {
  fetchImage(request: ChallengeRequest): Promise<PendingImage>;
  /** Continues with the challenge of an aborted search. The abort loses nothing: all guesses are equally likely. */
  solveWork(request: ChallengeRequest, report: (progress: WorkProgress) => void): Promise<PendingWork | null>;
  solveEffort(request: ChallengeRequest, report: (at: ShownEffort) => void): Promise<PendingEffort | null>;
  /** Forgets the challenge of an aborted search. */
  clear(): void;
}

export function openChallengeSource(options: ChallengeOptions, solver: Solver): ChallengeSource {
  const { chunkSize, maxHashes, onProgress } = options;
  const searchOptions = { solver, chunkSize, maxHashes };
  let unsolved: { challenge: PowChallenge; lifetime: Lifetime } | null = null;

  async function solveWorkOnce(
    request: ChallengeRequest,
    report: (progress: WorkProgress) => void,
  ): Promise<PendingWork | null> {
    const { signal } = request;
    if (unsolved === null || isExpired(unsolved)) {
      const requestedAt = readClocks();
      const challenge = await fetchPowChallenge({ ...options, ...request });
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
  }

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

    solveWork: (request, report) => orWithoutHashwx(() => solveWorkOnce(request, report)),
    async solveEffort(request, report) {
      const { solveEffortOnce } = await loadEffort();
      return orWithoutHashwx(() => solveEffortOnce({ ...options, ...request }, searchOptions, report, tools));
    },

    clear() {
      unsolved = null;
    },
  };
}

/** Functions shared with the effort module, which pages load later. */
const tools = { fetchEffortChallenge, progressOf, readClocks, solveEffort, startLifetime, withinLifetime };

const noProgress = { hashes: 0, ms: 0 };

function progressOf(
  difficulty: number,
  {
    hashes,
    ms,
    chance = -Math.expm1(-hashes / 2 ** difficulty),
  }: Pick<SearchProgress, 'hashes' | 'ms' | 'chance'> = noProgress,
): WorkProgress {
  return { difficulty, hashes, ms, chance };
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
