// What the doctor says about one thing: how bad it is, in one plain sentence, and what to do.

/** `problem`: users are hurt or protection is missing; `warning`: it may be meant; `good`: as it should be. */
export type Severity = 'problem' | 'warning' | 'good';

/** One thing that was looked at. Nothing secret is in it. */
export interface Finding {
  /** What was looked at and seen, for programs: stable, lower_snake_case. */
  readonly check: string;
  readonly severity: Severity;
  readonly message: string;
  readonly advice?: string;
}

/** Something that hurts. */
export function problem(check: string, message: string, advice: string): Finding {
  return { check, severity: 'problem', message, advice };
}

/** Something that may be meant, and should be known. */
export function warning(check: string, message: string, advice: string): Finding {
  return { check, severity: 'warning', message, advice };
}

/** Something that is as it should be. */
export function good(check: string, message: string): Finding {
  return { check, severity: 'good', message };
}
