// Says in sentences what is wrong with how a Redis is set up, for what it holds.

import type { RedisFacts } from './redis-facts.js';

/** What a store holds. */
export type Held = 'sessions' | 'challenges';

/** The largest difference between the clocks of a node and of the store without a warning, in milliseconds. */
export const MAX_CLOCK_OFFSET_MS = 2000;

const OLDEST_VERSION = [6, 2] as const;

/** The oldest version that has all commands, for messages. */
export const OLDEST_REDIS = OLDEST_VERSION.join('.');

/** Whether commands that Tollgate needs are missing. */
export function isTooOld({ version }: Pick<RedisFacts, 'version'>): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1]);
}

/** Whether a server may drop keys when its memory is full. */
export function mayEvict({ policy }: Pick<RedisFacts, 'policy'>): boolean {
  return policy !== undefined && policy !== 'noeviction';
}

/** Returns a sentence for each problem of a server: too old, evicts keys, or does not keep what it holds. */
export function redisWarnings(facts: RedisFacts, holds: ReadonlySet<Held>): string[] {
  const { persistence, policy, version } = facts;
  const warnings: string[] = [];
  if (isTooOld(facts)) warnings.push(`Redis ${version} is older than ${OLDEST_REDIS}`);
  if (mayEvict(facts)) {
    warnings.push(
      `Redis may evict keys (maxmemory-policy ${policy}): sessions and spent challenges could be lost`,
    );
  }
  if (persistence === 'unknown') {
    warnings.push(
      'Redis reports no append-only file and does not tell whether it keeps snapshots (CONFIG GET is not allowed)',
    );
  }
  if (persistence === 'snapshots' && holds.has('challenges')) {
    warnings.push(
      'Redis keeps snapshots alone: after a crash it accepts challenges that were spent since the last one; set appendonly yes',
    );
  }
  if ((persistence === 'snapshots' || persistence === 'none') && holds.has('sessions')) {
    warnings.push('Redis keeps no append-only file: a restart loses sessions; set appendonly yes');
  }
  return warnings;
}
