// What is thrown when a configuration is incomplete or wrong.

/** One or more mistakes in a configuration. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  /** One line per mistake; each begins with the name of the variable or option. Holds no secret. */
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}
