// What the doctor has found, for people and for programs.

import type { Finding } from './finding.js';

/** Everything that was found. */
export interface Report {
  readonly publicUrl: string;
  readonly findings: readonly Finding[];
  /** What was not looked at, and why: a sentence each. */
  readonly notLookedAt: readonly string[];
}

const ORDER = ['problem', 'warning', 'good'] as const;

/** Whether anything hurts. */
export function isHealthy({ findings }: Report): boolean {
  return findings.every(({ severity }) => severity !== 'problem');
}

/** The lines to print: what hurts first. */
export function reportLines({ findings, notLookedAt }: Report): string[] {
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
    ...notLookedAt.map((sentence) => `skipped  ${sentence}`),
    `${amount(problems, 'problem')}, ${amount(warnings, 'warning')}, ${goods} good`,
  ];
}

/** The object of `--json`. */
export function reportObject({ publicUrl, findings, notLookedAt }: Report): object {
  return { public_url: publicUrl, findings, not_looked_at: notLookedAt };
}

function amount(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
