// Retries a late store during preparations, because other programs may use the machine, too.
import { StoreUnavailableError } from '@tollgate/shared/store';

const TRIES = 10;

/** @param ask an operation that may be repeated */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !(error instanceof StoreUnavailableError)) throw error;
    }
  }
}
