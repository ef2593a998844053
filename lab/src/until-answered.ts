// Asks a store again that was late, while something is prepared: other programs may use the machine, too.
import { StoreUnavailableError } from '@tollgate/shared/store';

const TRIES = 10;

/** @param ask something that may be asked again */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !(error instanceof StoreUnavailableError)) throw error;
    }
  }
}
