// What is told when a kind of the operator's own fails: never in its own words, which may quote an answer.

/** A kind of the operator's own did what it must not. */
export class ChallengeTypeError extends Error {}

/** The error that says so: which method of which kind, and what it did. */
export function challengeTypeFault(
  { name }: { readonly name: string },
  method: string,
  what: string,
): ChallengeTypeError {
  return new ChallengeTypeError(`${method} of the kind ${name} ${what}`);
}

/**
 * Calls a kind; of what it throws only the class is told.
 * @throws KindError
 */
export function runChallengeType<T>(kind: { readonly name: string }, method: string, work: () => T): T {
  try {
    const made = work();
    // Kinds are not waited for. Who looks at a promise refuses it; its own failure must not end the process.
    if (made instanceof Promise) made.catch(() => {});
    return made;
  } catch (error) {
    const thrown = error instanceof Error ? error.name : 'something that is no error';
    throw challengeTypeFault(kind, method, `threw ${thrown}`);
  }
}
