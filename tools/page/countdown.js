// Counts down the seconds until the next request is allowed.

/** @param {() => void} onTick called every second, and at the end */
export function createCountdown(onTick) {
  let untilMs = 0;
  let timer;

  function tick() {
    onTick();
    if (Date.now() >= untilMs) clearInterval(timer);
  }

  return {
    get leftMs() {
      return Math.max(0, untilMs - Date.now());
    },
    /** @param {number} seconds 0 ends it */
    start(seconds) {
      clearInterval(timer);
      untilMs = Date.now() + seconds * 1000;
      timer = setInterval(tick, 1000);
      tick();
    },
  };
}
