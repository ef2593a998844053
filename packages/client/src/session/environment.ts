// Platform functions of the session: clocks, timers, randomness, events, locks, a tab channel, storage, cookies.

export interface Environment {
  /** Wall clock; continues during sleep, and can be changed. */
  nowMs(): number;
  /** Monotonic clock; may stop during sleep. */
  monotonicMs(): number;
  /** At least 0, less than 1. */
  random(): number;
  startTimer(callback: () => void, ms: number): number;
  stopTimer(timer: number): void;
  /**
   * Listens, until the signal aborts, to `pagehide` and to events after which timers may be late or the network may be
   * back.
   */
  listen(listener: (event: Event) => void, signal: AbortSignal): void;
  /** Whether the page may be visible. */
  isVisible(): boolean;
  /** Undefined if the browser has no Web Locks. */
  readonly locks: LockManager | undefined;
  /** Throws if the browser forbids it. */
  openChannel(name: string): BroadcastChannel | undefined;
  /** Persistent storage shared by the origin's tabs; throws if the browser forbids it. */
  openStorage(): Storage | undefined;
  /** Loads the proof module; undefined where the platform has no keys. */
  readonly loadProof: (() => Promise<typeof import('./binding/device-proof.js')>) | undefined;
  /** Returns the platform's `fetch`, with the cookies of the service at this address. */
  openFetch(base: URL): typeof fetch;
  /** Base of relative URLs. */
  readonly pageUrl: string;
}

const clocksAndTimers = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  startTimer: (callback: () => void, ms: number) => setTimeout(callback, ms),
  stopTimer: (timer: number) => clearTimeout(timer),
};

/** Returns the environment of this page, worker or program. */
export function currentEnvironment(): Environment {
  return globalThis.location ? browserEnvironment() : programEnvironment();
}

function browserEnvironment(): Environment {
  const page = globalThis.document;
  return {
    ...clocksAndTimers,
    listen(listener, signal) {
      for (const name of ['focus', 'online', 'pageshow', 'pagehide']) {
        addEventListener(name, listener, { signal });
      }
      page?.addEventListener('resume', listener, { signal });
      const onVisibilityChange = (event: Event) => void (page.hidden || listener(event));
      page?.addEventListener('visibilitychange', onVisibilityChange, { signal });
    },
    isVisible: () => !page?.hidden,
    locks: navigator.locks,
    openChannel: (name) => (globalThis.BroadcastChannel ? new BroadcastChannel(name) : undefined),
    openStorage: () => globalThis.localStorage,
    // Without https there is no `subtle`.
    loadProof: crypto.subtle && (() => import('./binding/device-proof.js')),
    openFetch: () => fetch.bind(globalThis),
    pageUrl: location.href,
  };
}

/** Each session of a program acts as a separate browser: it has its own cookies and shares nothing. */
function programEnvironment(): Environment {
  return {
    ...clocksAndTimers,
    startTimer(callback, ms) {
      const timer = setTimeout(callback, ms);
      // Otherwise Node would not exit before the next refresh.
      (timer as unknown as { unref?(): void }).unref?.();
      return timer;
    },
    listen() {},
    isVisible: () => true,
    locks: undefined,
    openChannel: () => undefined,
    openStorage: () => undefined,
    loadProof: undefined,
    openFetch(base) {
      const opening = import('./cookies.js').then(({ keepCookies }) => keepCookies(base));
      return async (input, init) => (await opening)(input, init);
    },
    // Only an absolute URL can be resolved against it.
    pageUrl: 'about:blank',
  };
}
