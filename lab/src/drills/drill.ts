// What a drill is: what it starts, what goes wrong, how that ends, and what must hold.
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import type { Mistake } from './ledger/ledger.js';
import type { Lab, Topology } from './servers/lab.js';
import type { Site } from './site.js';

/** What cannot be prevented where the fault happens, and the setting that makes it smaller. */
export interface Inherent {
  readonly mistakes: readonly Mistake[];
  /** One sentence for docs/reliability.md. */
  readonly why: string;
  readonly setting?: string;
}

/** One drill. The default export of a file in `drills/`, whose name is its own. */
export interface Drill<Stage extends Topology = Topology> {
  readonly name: string;
  /** One sentence: what happens. */
  readonly title: string;
  /** Starts what the services stand on. */
  readonly open: (lab: Lab) => Promise<Stage>;
  /** Variables of the services that differ from those of the other drills. */
  readonly environment?: Environment;
  /** Makes the fault. Resolves when it is there, or, without `recovery`, when it is over. */
  readonly fault: (site: Site<Stage>) => Promise<void>;
  /** Milliseconds from the fault to its end; 0 unless said. */
  readonly holdMs?: number;
  /** Ends the fault. */
  readonly recovery?: (site: Site<Stage>) => Promise<void>;
  /** The last failure of a request may be received so many milliseconds after the end of the fault. */
  readonly lastFailureMs: number;
  /** Counts `lastFailureMs` from the beginning of the fault. */
  readonly fromFault?: boolean;
  /** How many requests may fail; any number unless said. */
  readonly mostFailures?: number;
  /** Milliseconds of load after the end of the fault; by default 3 s longer than `lastFailureMs`. */
  readonly observeMs?: number;
  readonly inherent?: Inherent;
  /** Whether the failures of accounts must still be counted afterwards; they must unless said. */
  readonly keepsCounts?: boolean;
  /** Looks at what is special about this drill, after the load. @returns a line for each thing that is wrong */
  readonly check?: (site: Site<Stage>) => Promise<readonly string[]> | readonly string[];
}

/** Keeps the type of the stage. */
export function defineDrill<Stage extends Topology>(drill: Drill<Stage>): Drill<Stage> {
  return drill;
}
