// Finds processes on one store that disagree about the options of the challenges.

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

/** The watch of one process. */
export interface ConfigFingerprintWatch {
  /** Looks and writes at once, and not only when its time has come. */
  checkNow(): Promise<void>;
  /** Stop it before the store is closed. */
  stop(): Promise<void>;
}

/** How long a mark outlives the process that wrote it, and how often it is written again, in milliseconds. */
const LIFETIME_MS = 3_600_000;
const INTERVAL_MS = 600_000;

/** The hash of the options: equal for equal options, whatever set them. */
export function configFingerprint(options: CaptchaOptions): string {
  return createHash('sha256').update(canonicalJson(options)).digest('hex').slice(0, 32);
}

/**
 * Writes the hash of this process's options into the store, now and then every ten minutes, and warns once of each
 * other hash that it finds there (decisions 2.3): checkers that disagree refuse each other's challenges.
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
  // A store that is away is reported by its own checks.
  const rounds = startPeriodicTask(store, checkNow, { everyMs: INTERVAL_MS, onFailure() {} });
  return { checkNow, stop: rounds.stop };
}
