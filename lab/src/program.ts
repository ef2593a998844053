// The interface of a benchmark program.
import type { ParseArgsConfig } from 'node:util';
import type { Open } from './opened.js';
import type { Report, Row } from './report/report.js';

/** The default export of a module in `programs/`, whose file name is its name on the command line. */
export interface Program {
  /** One line: the measurement and its comparison. */
  readonly title: string;
  /** Its method, the meaning of its output columns, and its options. */
  readonly method?: string;
  /** Its options besides --json and --write. */
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /** Whether it takes other arguments than options. */
  readonly operands?: true;
  /**
   * Measures, and reports the results.
   * @param open for servers and other resources that must be closed afterwards
   */
  run(args: readonly string[], report: Report, open: Open): Promise<void>;
  /** With `--write`, the text for a document instead of a plot. */
  readonly table?: {
    /** Below `docs`; the table is between comments with the program's name. */
    readonly document: string;
    /** @param measuredOn the machine and the day, in a sentence */
    markdown(rows: readonly Row[], measuredOn: string): string;
  };
}
