// The failures of an account as a list of times, and the wait they put on one address.

/** One counted try: the claim of its request and the time it was counted. */
export interface Attempt {
  readonly claim: string;
  readonly atMs: number;
}

/** Most failures that are told of an account, and remembered of it beyond the tries that may still be open. */
export const MAX_ATTEMPTS = 100;

/** For so long, in milliseconds, a try may be taken back: until then it pushes no failure out of the list. */
export const OPEN_ATTEMPT_MS = 30_000;

/** Most entries of one list, open tries included. */
export const MOST_ENTRIES = 1000;

/** How long a pair of account and address remembers its last failure, in milliseconds. */
export const PAIR_MEMORY_MS = 86_400_000;

/** A pair waits from this many failures on. */
export const FAILURES_BEFORE_WAIT = 5;

/** What a pair waits after its 5th, 6th, … failure, in milliseconds; the last holds for all that follow (decisions 3.2). */
export const WAITS_MS: readonly number[] = [60_000, 120_000, 240_000, 480_000, 900_000];

/** The tries not yet forgotten. */
export function remembered(attempts: readonly Attempt[], nowMs: number, decayMs: number): Attempt[] {
  return attempts.filter((entry) => entry.atMs > nowMs - decayMs);
}

/** Milliseconds that a pair still has to wait after these failures; 0 when it may try. */
export function waitMs(failures: readonly Attempt[], nowMs: number): number {
  const last = failures.at(-1);
  if (last === undefined || failures.length < FAILURES_BEFORE_WAIT) return 0;
  const step = Math.min(failures.length - FAILURES_BEFORE_WAIT, WAITS_MS.length - 1);
  return Math.max(0, last.atMs + (WAITS_MS[step] ?? 0) - nowMs);
}

/** How many failures a list tells of. */
export function failuresOf(attempts: readonly Attempt[]): number {
  return Math.min(attempts.length, MAX_ATTEMPTS);
}

/** Adds a try unless its claim is there already, and keeps the newest beside those that may be open. */
export function withAttempt(attempts: readonly Attempt[], claim: string, nowMs: number): Attempt[] {
  if (hasClaim(attempts, claim)) return [...attempts];
  const all = [...attempts, { claim, atMs: nowMs }];
  const open = remembered(all, nowMs, OPEN_ATTEMPT_MS).length;
  return all.slice(-Math.min(MAX_ATTEMPTS + open, MOST_ENTRIES));
}

/** The tries without the one of this claim. */
export function withoutAttempt(attempts: readonly Attempt[], claim: string): Attempt[] {
  return attempts.filter((entry) => entry.claim !== claim);
}

export function hasClaim(attempts: readonly Attempt[], claim: string): boolean {
  return attempts.some((entry) => entry.claim === claim);
}

/** Reads the embedded store's line of tries: `claim:time` pairs separated by spaces, oldest first. */
export function parseAttempts(line: string | undefined): Attempt[] {
  if (line === undefined || line === '') return [];
  return line.split(' ').map((pair) => {
    const [claim = '', atMs] = pair.split(':');
    return { claim, atMs: Number(atMs) };
  });
}

/** Writes the line that `parseTries` reads. */
export function formatAttempts(attempts: readonly Attempt[]): string {
  return attempts.map(({ claim, atMs }) => `${claim}:${atMs}`).join(' ');
}
