// Calls page callbacks: functions, or names of globals, which are looked up at each call.

import { warnOnce } from '../warn-once.js';
import type { Reason } from './messages.js';

type Callback = (...values: unknown[]) => unknown;

/** Returns the current function; undefined if there is none. */
export function callbackOf(given: unknown): Callback | undefined {
  if (typeof given === 'function') return given as Callback;
  if (typeof given !== 'string') return undefined;
  const named = (globalThis as unknown as Record<string, unknown>)[given];
  return typeof named === 'function' ? (named as Callback) : undefined;
}

/** Calls a page callback. Its errors become uncaught errors of the page and stop nothing here. */
export function call(given: unknown, ...values: unknown[]): void {
  try {
    callbackOf(given)?.(...values);
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

/** Calls a page callback in a later task, never during the caller or its microtasks. */
export function callLater(given: unknown, ...values: unknown[]): void {
  setTimeout(() => call(given, ...values));
}

/** Tracks running callbacks, for example to tell a reset by the client from one by a person. */
interface Guarded {
  /** True while a callback or its microtasks run. */
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
      // Frameworks apply the changes of a callback in microtasks.
      setTimeout(() => {
        calls -= 1;
      });
    },
  };
}

/** Console messages for developers. */
const explanations: Readonly<Record<Reason, string>> = {
  frame:
    "its frame did not load. PUBLIC_URL of challenge-service must be its public address, the page's frame-src must allow it, and SITES must list the host name of each page around the frame",
  hostname:
    'SITES does not list the host name of this page in "hostnames"; a sandboxed frame and a file have none',
  sitekey: 'its sitekey is not in SITES',
  network: 'the service does not respond',
  rate_limited: 'rate limit exceeded',
  unavailable: 'the service is not available',
  gave_up: 'this device found no solution',
  failed: 'see the console of its frame',
};

/** Logs a failure when the page has no error callback. */
export function warn(reason: Reason): void {
  warnOnce(`a widget has failed (${reason}): ${explanations[reason]}.`);
}
