// Draws frequently changing values at most ten times a second, because drawing takes time from the work itself.

const intervalMs = 100;

/**
 * Returns a function that draws a value immediately or, within 100 ms of the last drawing, the newest value after them.
 * @template Value
 * @param {(value: Value) => void} draw
 * @returns {(value: Value) => void}
 */
export function createCadence(draw) {
  let drawnMs = Number.NEGATIVE_INFINITY;
  let timer;
  let newest;

  function drawNow() {
    timer = undefined;
    drawnMs = performance.now();
    draw(newest);
  }

  return (value) => {
    newest = value;
    const waitMs = drawnMs + intervalMs - performance.now();
    if (timer === undefined && waitMs <= 0) drawNow();
    // Timers may fire slightly early, and then the next drawing would be too soon.
    else timer ??= setTimeout(drawNow, Math.ceil(waitMs) + 1);
  };
}
