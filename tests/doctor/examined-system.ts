// A real system behind the test's gateway, examined by doctor.

import { oncePerFile } from '@tollgate/test-support/once-per-file.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { examine, type Target } from '@tollgate/tools/doctor/examine.js';
import type { Finding, Report } from '@tollgate/tools/doctor/report.js';
import {
  completeForLocalUse,
  type Environment,
  environmentFor,
  projectRoot,
} from '@tollgate/tools/launcher/local-environment.js';
import { type System, type SystemOptions, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';
import { freePorts } from '../launcher/launch.js';
import { startServiceHere } from '../system/services-here.js';
import { openFront } from './front.js';

/** Cheap work, and limits above those of many successive examinations. */
export const CHEAP: Environment = {
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_POW_MAX_DIFFICULTY: '8',
  CAPTCHA_POW_VOLUME_STEP: '0',
  RATE_LIMIT_POW: '10000',
  RATE_LIMIT_ISSUE: '10000',
  RATE_LIMIT_IMAGE: '10000',
  RATE_LIMIT_LOGIN: '10000',
  RATE_LIMIT_REFRESH: '10000',
  RATE_LIMIT_SESSION: '10000',
};

/** A system and its front. */
export interface ExaminedSystem {
  readonly system: System;
  readonly front: Awaited<ReturnType<typeof openFront>>;
  readonly publicUrl: string;
  /** The variables of the session service. */
  readonly env: Environment;
  /** Examines through the front, from outside unless the environment is given. */
  examine(options?: Partial<Target>): Promise<Report>;
}

/** Starts a system whose public address is the front. @param path of the public address */
export async function startExaminedSystem(
  t: Pick<Test, 'teardown'>,
  options: { environment?: Environment; host?: string; path?: string } & Partial<SystemOptions> = {},
): Promise<ExaminedSystem> {
  const { environment: given = {}, host = 'localhost', path = '', ...rest } = options;
  const front = await openFront(t);
  const publicUrl = `http://${host}:${front.port}${path}`;
  const environment: Environment = {
    ...CHEAP,
    ...freePorts,
    DATA_DIR: tempDir(t),
    PUBLIC_URL: publicUrl,
    ...given,
  };
  const system = await startSystem({ startService: startServiceHere, environment, ...rest });
  t.teardown(() => system.stop());
  front.lead(system.ports);
  const env = environmentFor(
    'session-service',
    completeForLocalUse({ ...environment, ...system.secrets }, system.ports),
  );
  return {
    system,
    front,
    publicUrl,
    env: { ...env, CHALLENGE_ADMIN_PORT: String(system.ports.challengeAdmin) },
    examine: (target) =>
      examine({
        publicUrl,
        challengePrefix: 'api/captcha',
        pageOrigin: environment.CORS_ORIGIN ?? new URL(publicUrl).origin,
        account: system.demo,
        fields: { token: 'pow_token', nonce: 'pow_nonce' },
        env: {},
        root: projectRoot,
        ...target,
      }),
  };
}

// Starting a system takes as long as several examinations, so one serves all tests of a file that do not change it.
const shared = oncePerFile(startExaminedSystem);

/** The file's system without extra variables; its front works correctly. */
export async function sharedExaminedSystem(): Promise<ExaminedSystem> {
  const examined = await shared();
  examined.front.breakWith({});
  return examined;
}

/** Two Redis servers as required in operation: `STORE_URL` and `CAPTCHA_CACHE_STORE`. */
export async function openStores(t: Test) {
  const [sessions, challenges] = [await startRedis(t), await startRedis(t)];
  await sessions.client.config('SET', 'appendonly', 'yes');
  return {
    sessions,
    challenges,
    environment: { STORE_URL: sessions.url, CAPTCHA_CACHE_STORE: challenges.url },
  };
}

/** The findings other than good ones, without their remedies. */
export function complaints({ findings }: Report): Omit<Finding, 'advice'>[] {
  return findings.filter(({ severity }) => severity !== 'good').map(({ advice: _advice, ...rest }) => rest);
}
