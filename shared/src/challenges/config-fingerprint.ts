// Detects processes on one store with different challenge options.

import { createHash } from 'node:crypto';
import { canonicalJson } from '../schemas/canonical-json.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import type { Store } from '../store/open-store.js';
import { startPeriodicTask } from '../store/periodic-task.js';
import { configFingerprintKey } from './store/records.js';

/** The part of a logger that this file uses. */
interface ConfigFingerprintLog {
  warn(about: object, message: string): void;
}

/** The periodic comparison of one process. */
interface ConfigFingerprintWatch {
  /** Compares and writes now, without waiting for the interval. */
  checkNow(): Promise<void>;
  /** Stops the comparison. Call it before you close the store. */
  stop(): Promise<void>;
}

/** Lifetime of a written fingerprint, in milliseconds. */
const LIFETIME_MS = 3_600_000;

/** Pauses between checks in milliseconds: the first ones are shorter, because processes are often started together. */
const FIRST_MS = 2_000;
const INTERVAL_MS = 60_000;
const FIRST_CHECKS = 10;

/** Returns the hash of the options; equal options have equal hashes. */
export function configFingerprint(options: CaptchaOptions): string {
  return createHash('sha256').update(canonicalJson(options)).digest('hex').slice(0, 32);
}

/**
 * Writes the fingerprint of this process to the store now and every minute, more often at first. It warns once about each
 * other fingerprint that it finds there twice in a row: a process with other options runs, and the two may reject each
 * other's challenges. A fingerprint found only once may belong to a process that has ended, in a restart or a rollout.
 */
export function watchConfigFingerprint(
  store: Store,
  options: CaptchaOptions,
  log: ConfigFingerprintLog,
): ConfigFingerprintWatch {
  const own = configFingerprint(options);
  const key = configFingerprintKey(options.cache.prefix);
  const told = new Set([own]);
  let checks = 0;
  let foundBefore: string | null = null;
  const checkNow = async () => {
    const found = await store.exchange(key, own, LIFETIME_MS);
    if (found !== null && found === foundBefore && !told.has(found)) {
      told.add(found);
      log.warn({ own, found }, 'another process on this store has other CAPTCHA_ options');
    }
    // An entry older than the first write says nothing about a running process.
    foundBefore = checks > 0 ? found : null;
    checks += 1;
  };
  // Other checks report a store that does not respond.
  const task = startPeriodicTask(store, checkNow, {
    everyMs: () => (checks < FIRST_CHECKS ? FIRST_MS : INTERVAL_MS),
    onFailure() {},
  });
  return { checkNow, stop: task.stop };
}
