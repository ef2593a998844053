// Calls functions of the page: given as such, or by the name of a global, which is looked up when it is called.

import { warnOnce } from '../warn-once.js';
import type { Reason } from './messages.js';

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

/** What developers are told of a failure. */
const explanations: Readonly<Record<Reason, string>> = {
  frame:
    'its frame did not load. PUBLIC_URL of challenge-service must be the address at which pages reach it, frame-src of the page must allow it, and SITES must list the host name of each page around the frame',
  hostname:
    'SITES does not list the host name of this page in "hostnames"; a sandboxed frame and a file have none',
  sitekey: 'its sitekey is not in SITES',
  network: 'the service does not answer',
  rate_limited: 'the service asks to wait',
  unavailable: 'the service is not available',
  gave_up: 'the device found no solution',
  failed: 'the console of its frame says more',
};

/** Tells the console of a failure that no callback of the page takes. */
export function warn(reason: Reason): void {
  warnOnce(`a widget has failed (${reason}): ${explanations[reason]}.`);
}
