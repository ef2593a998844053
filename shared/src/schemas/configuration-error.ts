// The error for an invalid configuration. It imports nothing, because small programs that open files throw it too.

/** One or more mistakes in a configuration. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  /** One line per mistake, which begins with the name of a variable or option and contains no secret. */
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}
