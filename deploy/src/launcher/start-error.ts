// A reason not to start that a person can act on.

/** Its message is complete: lines for the terminal, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
