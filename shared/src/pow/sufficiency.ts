// Decides whether work that was issued some time ago is enough for an account now.

/** What the decision depends on. Difficulties and steps are bits. */
export interface SufficiencyTerms {
  /** The highest difficulty that is ever required. */
  readonly ceiling: number;
  /** Bits per recorded failure. */
  readonly failureStep: number;
  /** Failures that work issued under the account's ticket may lag behind: `escalation.after`. */
  readonly grace: number;
}

/** Work as recorded when it was issued. */
export interface IssuedWork {
  readonly difficulty: number;
  /** The configured floor at that time. */
  readonly floor: number;
  /** Whether it was issued for a scope ticket of the attempted account. */
  readonly scoped: boolean;
}

/**
 * Returns the least difficulty in bits that the work must have. Work issued for the account's ticket may be `grace`
 * failures behind, so that failures of others do not overtake a slow solver, but no more, so that nobody can stockpile
 * cheap work.
 */
export function requiredDifficulty(work: IssuedWork, failures: number, terms: SufficiencyTerms): number {
  const counted = work.scoped ? failures - terms.grace : failures;
  if (counted <= 0) return 0;
  return Math.min(terms.ceiling, work.floor + terms.failureStep * counted);
}

/** Returns whether issued work is enough for an account with `failures` failures. */
export function suffices(work: IssuedWork, failures: number, terms: SufficiencyTerms): boolean {
  return work.difficulty >= requiredDifficulty(work, failures, terms);
}
