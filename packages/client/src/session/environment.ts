// What the session needs from the platform: clocks, timers, randomness, events, locks, a tab channel, storage, cookies.

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
  /** Whether a person may be looking at the page. */
  isVisible(): boolean;
  /** Undefined if the browser has no Web Locks. */
  readonly locks: LockManager | undefined;
  openChannel(name: string): BroadcastChannel | undefined;
  /** Storage that tabs of the origin share and that outlives the browser; throws where the browser forbids it. */
  openStorage(): Storage | undefined;
  /** Loads what shows the key of this browser; undefined where there are no keys. */
  readonly loadProof: (() => Promise<typeof import('./binding/device-proof.js')>) | undefined;
  /** The platform's `fetch`, with the cookies of the service at this address. */
  openFetch(base: URL): typeof fetch;
  /** The base of relative URLs. */
  readonly pageUrl: string;
}

const clocksAndTimers = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  startTimer: (callback: () => void, ms: number) => setTimeout(callback, ms),
  stopTimer: (timer: number) => clearTimeout(timer),
};

/** The environment of this page or worker, or of a program without either. */
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

/** Each session of a program is a browser of its own: it has its own cookies, and shares nothing with another. */
function programEnvironment(): Environment {
  return {
    ...clocksAndTimers,
    startTimer(callback, ms) {
      const timer = setTimeout(callback, ms);
      // Node would not exit before the next refresh.
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
