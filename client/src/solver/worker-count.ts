// How many workers a search is given.

/** More than these would mostly warm the device: the page, the system and other tabs need cores as well. */
const mostWorkers = 8;
/** Up to so many bits one worker is done before a second has started (65,536 hashes take some 5 to 50 ms). */
const bitsForOne = 16;

/**
 * One worker for each core that the browser names, 8 at most, and no more than the work is worth: one up to 16 bits,
 * then twice as many for each further bit. A page stays responsive beside as many workers as cores, as browsers and
 * systems schedule the page's own thread first or fairly.
 */
export function workersFor(difficulty: number): number {
  const cores = globalThis.navigator?.hardwareConcurrency || 1;
  return Math.min(cores, mostWorkers, 2 ** Math.max(0, difficulty - bitsForOne));
}
