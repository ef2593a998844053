// Checks one Redis server: its version, eviction and clock.

import type { Store } from '@tollgate/shared/store/open-store.js';
import { type Finding, problem } from '../report.js';

/** What a Redis server reports about itself. */
export interface RedisFacts {
  /** Its variable: `STORE_URL`. */
  readonly variable: string;
  /** Differs between any two running servers. */
  readonly runId: string;
  /** Such as `7.2.4`. */
  readonly version: string;
  /** `maxmemory-policy`; undefined if the server does not report it. */
  readonly policy: string | undefined;
  /** Whether it keeps an append-only file. */
  readonly appends: boolean;
  /** The store's clock minus this machine's, in milliseconds. */
  readonly offsetMs: number;
}

const OLDEST_VERSION = [6, 2] as const;
const OFFSET_MS = 2000;

/** Reads what a Redis reports about itself. @param nowMs this machine's clock, in milliseconds since 1970 */
export async function probeRedis(
  variable: string,
  store: Store & { kind: 'redis' },
  nowMs = Date.now,
): Promise<RedisFacts> {
  const lines = (await store.client.info()).split('\r\n');
  const info = new Map(
    lines.map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1)] as const),
  );
  return {
    variable,
    runId: info.get('run_id') ?? '',
    version: info.get('redis_version') ?? '0',
    policy: info.get('maxmemory_policy'),
    appends: info.get('aof_enabled') === '1',
    offsetMs: (await store.timeMs()) - nowMs(),
  };
}

/** Requires a recent version, no eviction and a clock that agrees; the check of the stores reports persistence. */
export function diagnoseRedis({ variable, version, policy, offsetMs }: RedisFacts): Finding[] {
  const found: Finding[] = [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1])) {
    found.push(
      problem(
        'redis_old',
        `The Redis of ${variable} is version ${version}, older than ${OLDEST_VERSION.join('.')}.`,
        'Update it: commands that Tollgate needs are missing.',
      ),
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    found.push(
      problem(
        'redis_evicts',
        `The Redis of ${variable} evicts keys when its memory is full (maxmemory-policy ${policy}).`,
        'Set maxmemory-policy noeviction: sessions would end, and spent challenges could be spent again.',
      ),
    );
  }
  if (Math.abs(offsetMs) > OFFSET_MS) {
    found.push(
      problem(
        'store_clock',
        `The clocks of the Redis of ${variable} and of this machine are ${Math.round(Math.abs(offsetMs) / 1000)} s apart.`,
        'Set the time of both machines by NTP.',
      ),
    );
  }
  return found;
}
