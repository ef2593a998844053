// What the session needs of the browser: clocks, timers, chance, events, locks, a channel between tabs, storage.

export interface Surroundings {
  /** The clock on the wall; it goes on while the machine sleeps, and may be set. */
  nowMs(): number;
  /** A clock that nobody sets; it may stand still while the machine sleeps. */
  steadyMs(): number;
  /** From 0 up to, not including, 1. */
  random(): number;
  startTimer(work: () => void, ms: number): number;
  stopTimer(timer: number): void;
  /**
   * Tells, until the signal, of everything after which the time may be another than the timers believe, or the
   * network back; and of `pagehide`.
   */
  listen(react: (event: Event) => void, signal: AbortSignal): void;
  /** Undefined where the browser has none. */
  readonly locks: LockManager | undefined;
  openChannel(name: string): BroadcastChannel | undefined;
  /** What tabs of the origin share and a restart of the browser leaves; throws where the browser forbids it. */
  openStorage(): Storage | undefined;
  /** What relative addresses are relative to. */
  readonly pageUrl: string;
}

export function browserSurroundings(): Surroundings {
  return {
    nowMs: () => Date.now(),
    steadyMs: () => performance.now(),
    random: () => Math.random(),
    startTimer: (work, ms) => setTimeout(work, ms),
    stopTimer: (timer) => clearTimeout(timer),
    listen(react, signal) {
      for (const name of ['focus', 'online', 'pageshow', 'pagehide']) {
        addEventListener(name, react, { signal });
      }
      document.addEventListener('resume', react, { signal });
      const reactWhenSeen = (event: Event) => void (document.hidden || react(event));
      document.addEventListener('visibilitychange', reactWhenSeen, { signal });
    },
    locks: navigator.locks,
    openChannel: (name) => (globalThis.BroadcastChannel ? new BroadcastChannel(name) : undefined),
    openStorage: () => localStorage,
    pageUrl: location.href,
  };
}
