// Decides whether earlier issued work suffices for an account now.

/** The terms of the decision. Difficulties and steps are bits. */
export interface SufficiencyTerms {
  /** The highest difficulty ever required. */
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
 * Returns the required difficulty of the work in bits. Work issued for the account's ticket may be `grace` failures behind,
 * so that failures of others do not overtake a slow solver, but no more, so that nobody can stockpile cheap work.
 */
export function requiredDifficulty(work: IssuedWork, failures: number, terms: SufficiencyTerms): number {
  const counted = work.scoped ? failures - terms.grace : failures;
  if (counted <= 0) return 0;
  return Math.min(terms.ceiling, work.floor + terms.failureStep * counted);
}

/** Returns whether issued work suffices for an account with `failures` failures. */
export function suffices(work: IssuedWork, failures: number, terms: SufficiencyTerms): boolean {
  return work.difficulty >= requiredDifficulty(work, failures, terms);
}
