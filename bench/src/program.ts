// The interface of a benchmark program.

/** The default export of a module in `programs/`, whose file name is its name on the command line. */
export interface Program {
  /** One line: what it measures, and against what. */
  readonly title: string;
  /**
   * Measures, and prints the results.
   * @returns whether the results are within all bounds
   */
  run(args: readonly string[]): Promise<boolean>;
}
