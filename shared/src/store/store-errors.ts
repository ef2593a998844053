// What a store throws when it cannot answer.

/** The store did not answer, or answered that it cannot serve now; nothing else is thrown for that. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** What a Fastify application answers if it has no error handler of its own. */
  readonly statusCode = 503;
}

// Redis 6 puts the reason of a command inside a script at the end of a longer line, behind a minus sign.
const UNABLE =
  /(?:^|: -)(?:LOADING|CLUSTERDOWN|MASTERDOWN|READONLY|OOM|TRYAGAIN|NOREPLICAS|BUSY|MISCONF|NOAUTH|WRONGPASS)\b/;

/** Turns what a Redis client throws into a StoreUnavailableError; other replies are mistakes of ours and stay as they are. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof Error && error.name === 'ReplyError' && !UNABLE.test(error.message)) return error;
  return new StoreUnavailableError('the store is out of reach', { cause: error });
}
