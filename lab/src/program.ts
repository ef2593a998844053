// The interface of a benchmark program.
import type { Open } from './opened.js';
import type { Report, Row } from './report/report.js';

/** The default export of a module in `programs/`, whose file name is its name on the command line. */
export interface Program {
  /** One line: what it measures, and against what. */
  readonly title: string;
  /** How it measures, what the columns of its output mean, and its options. */
  readonly method?: string;
  /**
   * Measures, and reports the results.
   * @param open for servers and whatever else must be closed afterwards
   */
  run(args: readonly string[], report: Report, open: Open): Promise<void>;
  /** With `--write`, what is written into a document instead of a plot. */
  readonly table?: {
    /** Below `docs`; the table stands between comments with the name of the program. */
    readonly document: string;
    /** @param measuredOn the machine and the day, in a sentence */
    markdown(rows: readonly Row[], measuredOn: string): string;
  };
}
