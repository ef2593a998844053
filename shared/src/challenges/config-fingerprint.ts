// Detects processes on one store with different options of the challenges.

import { createHash } from 'node:crypto';
import { canonicalJson } from '../schemas/canonical-json.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import type { Store } from '../store/open-store.js';
import { startPeriodicTask } from '../store/periodic-task.js';
import { configFingerprintKey } from './store/challenge-keys.js';

/** The part of a logger that this file uses. */
export interface ConfigFingerprintLog {
  warn(about: object, message: string): void;
}

/** The periodic comparison of one process. */
export interface ConfigFingerprintWatch {
  /** Compares and writes now, without waiting for the interval. */
  checkNow(): Promise<void>;
  /** Stops the comparison. Call it before you close the store. */
  stop(): Promise<void>;
}

/** How long a fingerprint stays after it was written, and how often it is written again, in milliseconds. */
const LIFETIME_MS = 3_600_000;
const INTERVAL_MS = 600_000;

/** Returns the hash of the options; equal options have equal hashes. */
export function configFingerprint(options: CaptchaOptions): string {
  return createHash('sha256').update(canonicalJson(options)).digest('hex').slice(0, 32);
}

/**
 * Writes the fingerprint of this process into the store now and every ten minutes, and warns once about each other
 * fingerprint that it finds there: processes with different options refuse each other's challenges.
 */
export function watchConfigFingerprint(
  store: Store,
  options: CaptchaOptions,
  log: ConfigFingerprintLog,
): ConfigFingerprintWatch {
  const own = configFingerprint(options);
  const key = configFingerprintKey(options.cache.prefix);
  const known = new Set([own]);
  const checkNow = async () => {
    const found = await store.exchange(key, own, LIFETIME_MS);
    if (found === null || known.has(found)) return;
    known.add(found);
    log.warn({ own, found }, 'another process on this store has, or lately had, other CAPTCHA_ options');
  };
  // Other checks report a store that does not answer.
  const task = startPeriodicTask(store, checkNow, { everyMs: INTERVAL_MS, onFailure() {} });
  return { checkNow, stop: task.stop };
}
