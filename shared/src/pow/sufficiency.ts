// Whether work that was issued some time ago is enough for what an account demands now.

/** The terms that decide it. Difficulties and steps are bits. */
export interface SufficiencyTerms {
  /** Highest difficulty that is ever demanded. */
  readonly ceiling: number;
  /** Bits per recorded failure. */
  readonly failureStep: number;
  /** Failures that work issued under the account's ticket may lag behind: `escalation.after`. */
  readonly grace: number;
}

/** Work as its record has it. */
export interface IssuedWork {
  readonly difficulty: number;
  /** The configured floor of its time. */
  readonly floor: number;
  /** Whether it was issued under a ticket of the account that is being tried. */
  readonly scoped: boolean;
}

/**
 * The least difficulty, in bits, that work must have been issued with (decisions 2.1, "The rule takes the account
 * key"). Work issued under the ticket may be `grace` failures behind, so that a slow solver is not overtaken, but no
 * more, so that cheap work cannot be stockpiled.
 */
export function requiredDifficulty(work: IssuedWork, failures: number, terms: SufficiencyTerms): number {
  const counted = work.scoped ? failures - terms.grace : failures;
  if (counted <= 0) return 0;
  return Math.min(terms.ceiling, work.floor + terms.failureStep * counted);
}

/** Says whether issued work is enough for an account with so many failures. */
export function suffices(work: IssuedWork, failures: number, terms: SufficiencyTerms): boolean {
  return work.difficulty >= requiredDifficulty(work, failures, terms);
}
