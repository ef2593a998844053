// The verdict on a run: compares the ledger and the timeline with the bounds of the drill.
import type { Drill } from './drill.js';
import type { Inspection } from './ledger/inspection.js';
import { type Ledger, MISTAKES, type Mistake } from './ledger/ledger.js';
import { countFailures, type Exchange, lastFailureAfter, longestGapMs } from './ledger/timeline.js';

/** The observations of a run. Times are those of `performance.now()`. */
export interface Run {
  readonly ledger: Ledger;
  readonly exchanges: readonly Exchange[];
  readonly faultMs: number;
  readonly recoveredMs: number;
  readonly inspection: Inspection;
  /** Unexpected behaviour of processes. */
  readonly accidents: readonly string[];
  readonly leftovers: readonly string[];
  /** Findings of the drill's own check. */
  readonly findings: readonly string[];
}

/** The result of a drill, as `--json` prints it. */
export interface DrillResult {
  readonly name: string;
  readonly passed: boolean;
  /** A line for each bound that is broken. */
  readonly broken: readonly string[];
  readonly requests: number;
  /** By kind: `operation: result`. */
  readonly failures: Readonly<Record<string, number>>;
  /** The longest time without a success of an operation that uses the store. */
  readonly longestGapMs: number;
  /** When the last failure was received, after the end of the fault (or its beginning); null if none was. */
  readonly lastFailureMs: number | null;
  readonly mistakes: Readonly<Record<Mistake, number>>;
  /** Requests with an unknown effect, left out of the verdict. */
  readonly unknown: Readonly<Record<string, number>>;
  /** Requests of the inspection. */
  readonly looked: Readonly<Record<string, number>>;
}

interface VerdictOptions {
  /** Whether times count: not while other programs use the processor. */
  readonly timed: boolean;
}

/** Judges a run. */
export function judge(drill: Drill, run: Run, { timed }: VerdictOptions): DrillResult {
  const { ledger, exchanges, faultMs, recoveredMs, inspection } = run;
  const failures = countFailures(exchanges);
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const momentMs = drill.fromFault ? faultMs : recoveredMs;
  const lastFailureMs = lastFailureAfter(exchanges, momentMs);
  const inherent = drill.inherent?.mistakes ?? [];
  const broken: string[] = [];

  for (const mistake of MISTAKES) {
    const found = ledger.mistakes[mistake];
    if (found.length === 0 || inherent.includes(mistake)) continue;
    broken.push(`${mistake}: ${found.length} (${[...new Set(found)].slice(0, 3).join('; ')})`);
  }
  const early = exchanges.filter(({ failure, endedMs }) => failure !== undefined && endedMs < faultMs);
  if (timed && early.length > 0) {
    const [kind] = Object.keys(countFailures(early));
    broken.push(`${early.length} failures before the fault (${kind})`);
  }
  if (timed && lastFailureMs !== undefined && lastFailureMs > drill.lastFailureMs) {
    const since = drill.fromFault ? 'beginning' : 'end';
    broken.push(
      `last failure ${seconds(lastFailureMs)} after the ${since} of the fault, ${seconds(drill.lastFailureMs)} allowed`,
    );
  }
  if (drill.mostFailures !== undefined && failed > drill.mostFailures) {
    broken.push(`${failed} failures, ${drill.mostFailures} allowed`);
  }
  if (inspection.unanswered > 0) broken.push(`${inspection.unanswered} requests afterwards got no response`);
  broken.push(...run.accidents, ...run.findings, ...run.leftovers.map((line) => `left behind: ${line}`));
  return {
    name: drill.name,
    passed: broken.length === 0,
    broken,
    requests: exchanges.length,
    failures,
    longestGapMs: Math.round(longestGapMs(exchanges)),
    lastFailureMs: lastFailureMs === undefined ? null : Math.round(lastFailureMs),
    mistakes: Object.fromEntries(
      MISTAKES.map((mistake) => [mistake, ledger.mistakes[mistake].length]),
    ) as Record<Mistake, number>,
    unknown: ledger.unknown,
    looked: inspection.looked,
  };
}

/** `1.2 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
