// The attempts on an account, and the delay that failures impose on one address.

/** A counted attempt: the claim of its request and the time of the count. */
export interface Attempt {
  readonly claim: string;
  readonly atMs: number;
}

/** Most failures reported for an account, and kept besides attempts that may still be open. */
export const MAX_ATTEMPTS = 100;

/** How long an attempt may be withdrawn, in milliseconds; until then it displaces no failure from the list. */
export const OPEN_ATTEMPT_MS = 30_000;

/** Most entries of one list, including open attempts. */
export const MOST_ENTRIES = 1000;

/** How long a pair of account and address remembers its last failure, in milliseconds. */
export const PAIR_MEMORY_MS = 86_400_000;

/** The number of failures from which a pair waits. */
export const FAILURES_BEFORE_WAIT = 5;

/** Delays of a pair after its 5th, 6th, … failure, in milliseconds; the last applies to all later ones. */
export const WAITS_MS: readonly number[] = [60_000, 120_000, 240_000, 480_000, 900_000];

/** Returns the attempts that have not expired. */
export function remembered(attempts: readonly Attempt[], nowMs: number, decayMs: number): Attempt[] {
  return attempts.filter((entry) => entry.atMs > nowMs - decayMs);
}

/** Returns the remaining delay of a pair after these failures, in milliseconds; 0 for none. */
export function waitMs(failures: readonly Attempt[], nowMs: number): number {
  const last = failures.at(-1);
  if (last === undefined || failures.length < FAILURES_BEFORE_WAIT) return 0;
  const step = Math.min(failures.length - FAILURES_BEFORE_WAIT, WAITS_MS.length - 1);
  return Math.max(0, last.atMs + (WAITS_MS[step] ?? 0) - nowMs);
}

/** Returns the number of failures in a list. */
export function failuresOf(attempts: readonly Attempt[]): number {
  return Math.min(attempts.length, MAX_ATTEMPTS);
}

/** Adds an attempt unless its claim is already in the list, and drops the oldest entries beyond the limits. */
export function withAttempt(attempts: readonly Attempt[], claim: string, nowMs: number): Attempt[] {
  if (hasClaim(attempts, claim)) return [...attempts];
  const all = [...attempts, { claim, atMs: nowMs }];
  const open = remembered(all, nowMs, OPEN_ATTEMPT_MS).length;
  return all.slice(-Math.min(MAX_ATTEMPTS + open, MOST_ENTRIES));
}

/** Returns the attempts without the one of this claim. */
export function withoutAttempt(attempts: readonly Attempt[], claim: string): Attempt[] {
  return attempts.filter((entry) => entry.claim !== claim);
}

export function hasClaim(attempts: readonly Attempt[], claim: string): boolean {
  return attempts.some((entry) => entry.claim === claim);
}

/** Parses the attempts of the embedded store: `claim:time` pairs separated by spaces, oldest first. */
export function parseAttempts(text: string | undefined): Attempt[] {
  if (text === undefined || text === '') return [];
  return text.split(' ').map((entry) => {
    const [claim = '', atMs] = entry.split(':');
    return { claim, atMs: Number(atMs) };
  });
}

/** Formats attempts for `parseAttempts`. */
export function formatAttempts(attempts: readonly Attempt[]): string {
  return attempts.map(({ claim, atMs }) => `${claim}:${atMs}`).join(' ');
}
