// What the session needs from the browser: clocks, timers, randomness, events, locks, a tab channel, storage.

export interface Environment {
  /** The wall clock; it goes on while the machine sleeps, and can be changed. */
  nowMs(): number;
  /** A monotonic clock; it may stop while the machine sleeps. */
  monotonicMs(): number;
  /** At least 0, less than 1. */
  random(): number;
  startTimer(callback: () => void, ms: number): number;
  stopTimer(timer: number): void;
  /**
   * Listens, until the signal aborts, to events after which timers may be late or the network may be back, and to
   * `pagehide`.
   */
  listen(listener: (event: Event) => void, signal: AbortSignal): void;
  /** Undefined if the browser has no Web Locks. */
  readonly locks: LockManager | undefined;
  openChannel(name: string): BroadcastChannel | undefined;
  /** Storage that tabs of the origin share and that outlives the browser; throws where the browser forbids it. */
  openStorage(): Storage | undefined;
  /** Loads what shows the key of this browser; undefined where there are no keys. */
  readonly loadProof: (() => Promise<typeof import('./binding/device-proof.js')>) | undefined;
  /** The base of relative URLs. */
  readonly pageUrl: string;
}

export function browserEnvironment(): Environment {
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    random: () => Math.random(),
    startTimer: (callback, ms) => setTimeout(callback, ms),
    stopTimer: (timer) => clearTimeout(timer),
    listen(listener, signal) {
      for (const name of ['focus', 'online', 'pageshow', 'pagehide']) {
        addEventListener(name, listener, { signal });
      }
      document.addEventListener('resume', listener, { signal });
      const onVisibilityChange = (event: Event) => void (document.hidden || listener(event));
      document.addEventListener('visibilitychange', onVisibilityChange, { signal });
    },
    locks: navigator.locks,
    openChannel: (name) => (globalThis.BroadcastChannel ? new BroadcastChannel(name) : undefined),
    openStorage: () => localStorage,
    // Without https there is no `subtle`.
    loadProof: crypto.subtle && (() => import('./binding/device-proof.js')),
    pageUrl: location.href,
  };
}
