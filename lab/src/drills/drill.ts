// The definition of a drill: its system, its fault, the recovery, and its bounds.
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import type { Mistake } from './ledger/ledger.js';
import type { Lab, Topology } from './servers/lab.js';
import type { Site } from './site.js';

/** Mistakes that cannot be prevented where the fault happens, and the setting that reduces them. */
export interface Inherent {
  readonly mistakes: readonly Mistake[];
  /** One sentence for docs/reliability.md. */
  readonly why: string;
  readonly setting?: string;
}

/** One drill. The default export of a file in `drills/`, with the same name. */
export interface Drill<Stage extends Topology = Topology> {
  readonly name: string;
  /** One sentence: what happens. */
  readonly title: string;
  /** Starts the stores of the services. */
  readonly open: (lab: Lab) => Promise<Stage>;
  /** Variables of the services that differ from those of other drills. */
  readonly environment?: Environment;
  /** Causes the fault. Resolves when it has begun, or, without `recovery`, when it is over. */
  readonly fault: (site: Site<Stage>) => Promise<void>;
  /** Milliseconds from the fault to its end; 0 by default. */
  readonly holdMs?: number;
  /** Ends the fault. */
  readonly recovery?: (site: Site<Stage>) => Promise<void>;
  /** Maximum milliseconds from the end of the fault to the last failed request. */
  readonly lastFailureMs: number;
  /** Counts `lastFailureMs` from the beginning of the fault. */
  readonly fromFault?: boolean;
  /** Maximum number of failed requests; any number by default. */
  readonly mostFailures?: number;
  /** Milliseconds of load after the end of the fault; by default 3 s longer than `lastFailureMs`. */
  readonly observeMs?: number;
  readonly inherent?: Inherent;
  /** Whether account failures must still be counted afterwards; true by default. */
  readonly keepsCounts?: boolean;
  /** Checks specific to this drill, after the load. @returns a line for each problem */
  readonly check?: (site: Site<Stage>) => Promise<readonly string[]> | readonly string[];
}

/** Keeps the type of the stage. */
export function defineDrill<Stage extends Topology>(drill: Drill<Stage>): Drill<Stage> {
  return drill;
}
