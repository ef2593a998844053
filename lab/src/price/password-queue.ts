// The password queue of one process, in virtual time: one thread, constant duration of a check.
import { FULL_LOAD, type QueueLoad } from '@tollgate/shared/pow';

/** A queue. Times are seconds. */
interface PasswordQueue {
  /** Returns when the check of a password that arrives now is done; null if it is rejected. Times must not fall. */
  add(atS: number): number | null;
  /** Returns the load of the second that ends now, and begins the next one. */
  take(nowS: number): QueueLoad;
}

/** @param checkS duration of a check @param places maximum number of waiting passwords */
export function openPasswordQueue(checkS: number, places: number): PasswordQueue {
  let freeS = 0;
  /** The accepted work, and the part of it that was done before the second began. */
  let takenS = 0;
  let doneBeforeS = 0;
  return {
    add(atS) {
      if (freeS - atS > (places + 1) * checkS) {
        return null;
      }
      freeS = Math.max(atS, freeS) + checkS;
      takenS += checkS;
      return freeS;
    },
    take(nowS) {
      const leftS = Math.max(0, freeS - nowS);
      const doneS = takenS - leftS;
      const waiting = Math.max(0, Math.ceil(leftS / checkS) - 1) / places;
      const load = doneS - doneBeforeS + waiting;
      doneBeforeS = doneS;
      return Math.min(FULL_LOAD, load);
    },
  };
}
