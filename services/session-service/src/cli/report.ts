// The form of reports of the command `session`, and of times in the output of all commands.

/** A command's report to an operator. */
export interface Report {
  /** Whether the store has data on the subject. */
  readonly isKnown: boolean;
  readonly lines: readonly string[];
  /** The same for programs. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** ISO 8601 in UTC, to the second, e.g. `2026-08-10T15:05:28Z`. @param ms milliseconds since 1970 */
export function utcTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
