// Calls functions of the page: given as such, or by the name of a global, which is looked up when it is called.

type Callback = (...values: unknown[]) => unknown;

/** Returns the function that is meant now; undefined if there is none. */
export function callbackOf(given: unknown): Callback | undefined {
  if (typeof given === 'function') return given as Callback;
  if (typeof given !== 'string') return undefined;
  const named = (globalThis as unknown as Record<string, unknown>)[given];
  return typeof named === 'function' ? (named as Callback) : undefined;
}

/** Calls a function of the page. What it throws is an uncaught error of the page, and stops nothing here. */
export function call(given: unknown, ...values: unknown[]): void {
  try {
    callbackOf(given)?.(...values);
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

/** Calls it in a later task, never while the caller runs or in one of its microtasks. */
export function callLater(given: unknown, ...values: unknown[]): void {
  setTimeout(() => call(given, ...values));
}

/** Callbacks during which something holds, such as that a reset comes from the client and not from a person. */
export interface Guarded {
  /** Whether such a callback runs, or the microtasks after it. */
  readonly isCalling: boolean;
  call(given: unknown, ...values: unknown[]): void;
}

export function guardCallbacks(): Guarded {
  let calls = 0;
  return {
    get isCalling() {
      return calls > 0;
    },
    call(given, ...values) {
      calls += 1;
      call(given, ...values);
      // Frameworks run what a callback has changed in microtasks.
      setTimeout(() => {
        calls -= 1;
      });
    },
  };
}

/** Tells the console of a failure that no callback of the page takes. */
export function warn(reason: string): void {
  console.warn(`Tollgate: a widget has failed: ${reason} (troubleshooting.md#a-widget-fails).`);
}
