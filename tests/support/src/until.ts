// Waits for a condition that other processes fulfil.

import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_WAIT_MS = 20_000;
const POLL_MS = 20;

/**
 * Resolves when the condition holds; an error of the check counts as "not yet".
 * @param what the awaited condition, for the error after 20 seconds
 */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_WAIT_MS;
  let lastError: unknown;
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadlineMs) throw new Error(`timeout waiting for: ${what}`, { cause: lastError });
    await pause(POLL_MS);
  }
}
