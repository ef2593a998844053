// What every benchmark is.

/** A module in `programs/` exports one as its default; its file name is the name on the command line. */
export interface Program {
  /** One line: what is measured, against what. */
  readonly title: string;
  /**
   * Measures and prints.
   * @returns whether every bound that the program has was kept
   */
  run(args: readonly string[]): Promise<boolean>;
}
