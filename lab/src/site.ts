// The whole system on a separate store, without rate limits, for programs that apply load.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import { type Cores, pin } from './cores.js';
import { openPrivateRedis, type PrivateRedis } from './private-redis.js';

export const HOST_KEY = 'the-key-of-the-application-of-this-benchmark';

/** The running system. */
export interface Site {
  readonly system: System;
  /** Undefined with the embedded store. */
  readonly redis: PrivateRedis | undefined;
  readonly storeUrl: string;
  /** The variables of both services, including secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** URLs of the services themselves, because the gateway would be measured, too. */
  readonly session: string;
  readonly challenge: string;
  readonly challengeAdmin: string;
  close(): Promise<void>;
}

/** Limits above any load. */
export const UNLIMITED = Object.fromEntries(
  ['POW', 'ISSUE', 'IMAGE', 'LOGIN', 'REFRESH', 'SESSION'].map((name) => [`RATE_LIMIT_${name}`, '1000000']),
);

/** Work costs two hashes and no image is required, so that benchmarks measure neither. */
export const CHEAP = {
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_POW_MAX_DIFFICULTY: '1',
  CAPTCHA_POW_VOLUME_STEP: '0',
  CAPTCHA_ESCALATION_AFTER: '100',
  CAPTCHA_MIN_SECONDS: '0',
};

const FREE_PORTS = Object.fromEntries(
  ['GATEWAY_PORT', 'SESSION_PORT', 'SESSION_ADMIN_PORT', 'CHALLENGE_PORT', 'CHALLENGE_ADMIN_PORT'].map(
    (name) => [name, '0'],
  ),
);

interface SiteOptions {
  /** Variables that override those above. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly accounts?: readonly { email: string; password: string }[];
  /** Cores of its processes; any by default. */
  readonly cores?: Cores;
  readonly store?: 'redis' | 'embedded';
}

/** Starts the system. */
export async function openSite(options: SiteOptions = {}): Promise<Site> {
  const { accounts = [], cores, store = 'redis' } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const redis = store === 'redis' ? await openPrivateRedis(cores?.redis) : undefined;
  const storeUrl = redis?.url ?? `file:${join(folder, 'store.db')}`;
  const environment = {
    ...FREE_PORTS,
    ...UNLIMITED,
    ...CHEAP,
    HOST_API_KEY: HOST_KEY,
    LOG_LEVEL: 'info',
    ...options.environment,
    DATA_DIR: folder,
    STORE_URL: storeUrl,
  };
  const system = await startSystem({ environment, accounts });
  if (cores !== undefined) {
    for (const { child } of Object.values(system.processes)) pin(child.pid!, cores.measured);
  }
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return {
    system,
    redis,
    storeUrl,
    environment: { ...environment, ...system.secrets } as Record<string, string>,
    session: at(system.ports.session),
    challenge: at(system.ports.challenge),
    challengeAdmin: at(system.ports.challengeAdmin),
    async close() {
      await system.stop();
      await redis?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
