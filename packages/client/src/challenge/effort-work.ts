// Fetches and solves `effort` challenges. Loaded on demand: few pages need it.
import type { HashwxTask, SearchProgress, Solver } from '../solver/solver.js';
import type { EffortChallenge } from '../wire.js';
import type {
  ChallengeOptions,
  FetchOptions,
  SolvedEffort,
  SolveEffortOptions,
} from './challenge-options.js';
import type { ShownEffort, WorkProgress } from './challenge-state.js';
import type { PendingEffort } from './pending-submission.js';
import type { ClockReading, Lifetime } from './time-limits.js';

/** Functions that the page has loaded already and this file must not load again. */
export interface EffortTools {
  fetchEffortChallenge(options: FetchOptions): Promise<EffortChallenge>;
  readClocks(): ClockReading;
  startLifetime(requestedAt: ClockReading, seconds: number): Lifetime;
  progressOf(difficulty: number, progress?: SearchProgress): WorkProgress;
  solveEffort(challenge: EffortChallenge, options: SolveEffortOptions): Promise<SolvedEffort>;
  /** Resolves with null if the lifetime ends first. */
  withinLifetime<T>(
    lifetime: Lifetime,
    signal: AbortSignal,
    solve: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | null>;
}

/**
 * Fetches an `effort` challenge and solves it before it expires.
 * @returns null if it expires first
 */
export async function solveEffortOnce(
  request: Omit<ChallengeOptions, 'signal'> & FetchOptions & { readonly signal: AbortSignal },
  options: SolveEffortOptions,
  report: (at: ShownEffort) => void,
  tools: EffortTools,
): Promise<PendingEffort | null> {
  const { signal, onProgress } = request;
  const requestedAt = tools.readClocks();
  const challenge = await tools.fetchEffortChallenge(request);
  const { token, parts, part_difficulty: difficulty, expires_in } = challenge;
  const lifetime = tools.startLifetime(requestedAt, expires_in);
  const reportPart = (part: number, progress?: SearchProgress, all = { hashes: 0, ms: 0 }) =>
    report({
      kind: 'effort',
      part,
      parts,
      solved: part === parts,
      progress: tools.progressOf(difficulty, progress),
      all,
    });
  reportPart(0);
  const onPart = (progress: SearchProgress, part: number, all: SearchProgress) => {
    if (signal.aborted) return;
    reportPart(part, progress, all);
    onProgress?.(progress);
  };
  const solved = await tools.withinLifetime(lifetime, signal, (inner) =>
    tools.solveEffort(challenge, { ...options, signal: inner, onProgress: onPart }),
  );
  if (solved === null) return null;
  reportPart(parts);
  return { kind: 'effort', token, answer: solved.answer, lifetime };
}

/**
 * Searches one nonce for each part, one part after the other; the parts of HashWX together.
 * @param report also called with zero progress when a part begins; `all` is the progress of all parts
 */
export async function searchParts(
  solver: Solver,
  challenge: Pick<EffortChallenge, 'salt' | 'parts' | 'part_difficulty' | 'algorithm'>,
  options: Omit<SolveEffortOptions, 'onProgress'>,
  report: (progress: SearchProgress, part: number, all: SearchProgress) => void,
): Promise<SolvedEffort> {
  const { salt, parts, part_difficulty: difficulty, algorithm } = challenge;
  if (algorithm !== 'sha256') {
    const task = { ...(challenge as unknown as HashwxTask), difficulty: difficulty + Math.log2(parts) };
    const { nonce, ...found } = await solver.search(task, {
      ...options,
      onProgress(now) {
        // Estimated from the chance, which predicts the remaining time better than the number of solved parts.
        const done = parts * (now.chance ?? 0);
        const part = Math.min(Math.floor(done), parts - 1);
        report({ ...now, chance: done - part }, part, now);
      },
    });
    return { ...found, answer: nonce };
  }
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
