// The interface of a benchmark program.
import type { ParseArgsConfig, parseArgs } from 'node:util';
import type { Open } from './opened.js';
import type { Report, Row } from './report/report.js';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The default export of a module in `programs/`, whose file name is its name on the command line. */
export interface Program<O extends Options = Options> {
  /** One line: the measurement and its comparison. */
  readonly title: string;
  /** Its method, the meaning of its output columns, and its options. */
  readonly method?: string;
  /** Its options besides --json and --write; one with a number as default takes only positive numbers. */
  readonly options?: O;
  /** Its possible arguments besides options: the parts that it measures alone, in place of all. */
  readonly operands?: readonly string[];
  /**
   * Measures, and reports the results.
   * @param open for servers and other resources that must be closed afterwards
   */
  run(
    args: ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>,
    report: Report,
    open: Open,
  ): Promise<void>;
  /** With `--write`, the text for a document instead of a plot. */
  readonly table?: {
    /** Below `docs`; the table is between comments with the program's name. */
    readonly document: string;
    /** @param measuredOn the machine and the day, in a sentence */
    markdown(rows: readonly Row[], measuredOn: string): string;
  };
}
