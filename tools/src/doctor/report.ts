// The doctor's findings, as text and as JSON.

/** `problem`: users are affected or protection is missing; `warning`: possibly intended; `good`: correct. */
export type Severity = 'problem' | 'warning' | 'good';

/** The result of one check: one sentence and a remedy, without secrets. */
export interface Finding {
  /** Stable code for programs, in lower_snake_case. */
  readonly check: string;
  readonly severity: Severity;
  readonly message: string;
  readonly advice?: string;
}

/** All findings. */
export interface Report {
  readonly publicUrl: string;
  readonly findings: readonly Finding[];
  /** Skipped checks with the reason, one sentence each. */
  readonly skipped: readonly string[];
}

const ORDER = ['problem', 'warning', 'good'] as const;

/** A finding that affects users. */
export function problem(check: string, message: string, advice: string): Finding {
  return { check, severity: 'problem', message, advice };
}

/** A finding that may be intended, and should be known. */
export function warning(check: string, message: string, advice: string): Finding {
  return { check, severity: 'warning', message, advice };
}

/** A finding without a problem. */
export function good(check: string, message: string): Finding {
  return { check, severity: 'good', message };
}

/** Whether the report has no problem. */
export function isHealthy({ findings }: Report): boolean {
  return findings.every(({ severity }) => severity !== 'problem');
}

/** The lines to print: problems first, then warnings. */
export function reportLines({ findings, skipped }: Report): string[] {
  const lines = ORDER.flatMap((severity) =>
    findings
      .filter((finding) => finding.severity === severity)
      .flatMap(({ message, advice }) => [
        `${severity.padEnd(9)}${message}`,
        ...(advice === undefined ? [] : [`${' '.repeat(9)}${advice}`]),
      ]),
  );
  const counts = ORDER.map((severity) => findings.filter((finding) => finding.severity === severity).length);
  const [problems = 0, warnings = 0, goods = 0] = counts;
  return [
    ...lines,
    ...skipped.map((sentence) => `skipped  ${sentence}`),
    `${amount(problems, 'problem')}, ${amount(warnings, 'warning')}, ${goods} good`,
  ];
}

/** The object of `--json`. */
export function reportObject({ publicUrl, findings, skipped }: Report): object {
  return { public_url: publicUrl, findings, not_looked_at: skipped };
}

function amount(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
