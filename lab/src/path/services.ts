// Both services in this process, on a separate Redis, without optional variables.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChallengeService } from '@tollgate/challenge-service/service.js';
import { addOrReplaceUser } from '@tollgate/session-service/cli/user-actions.js';
import { openEmbeddedDirectory } from '@tollgate/session-service/directory/embedded-directory.js';
import { openSessionService } from '@tollgate/session-service/service.js';
import { startService } from '@tollgate/shared/http';
import { openPrivateRedis } from '../private-redis.js';

/** The account that logs in. */
export const ACCOUNT = { email: 'path@example.com', password: 'a password of a path' };

export interface ServicesHere {
  readonly session: string;
  readonly challenge: string;
  readonly storeUrl: string;
  readonly challengeSecret: string;
  close(): Promise<void>;
}

/** Starts both. */
export async function openServicesHere(): Promise<ServicesHere> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-path-'));
  const redis = await openPrivateRedis();
  const environment = {
    DATA_DIR: folder,
    STORE_URL: redis.url,
    ACCESS_SECRET: 'access-secret-of-this-program-0123456789',
    REFRESH_SECRET: 'refresh-secret-of-this-program-0123456789',
    ENCRYPTION_KEY: 'encryption-key-of-this-program-0123456789',
    CHALLENGE_SECRET: 'challenge-secret-of-this-program-0123456789',
    PUBLIC_URL: 'http://localhost:8080',
    DRAIN_SECONDS: '0',
    SESSION_PORT: '0',
    SESSION_ADMIN_PORT: '0',
    CHALLENGE_PORT: '0',
    CHALLENGE_ADMIN_PORT: '0',
    CAPTCHA_TEST_MODE: 'true',
    CAPTCHA_POW_DIFFICULTY: '1',
    CAPTCHA_POW_MAX_DIFFICULTY: '1',
    CAPTCHA_POW_VOLUME_STEP: '0',
    CAPTCHA_MIN_SECONDS: '0',
  };
  const directory = openEmbeddedDirectory(join(folder, 'users.db'));
  await addOrReplaceUser(directory, ACCOUNT.email, async () => ACCOUNT.password);
  await directory.close();
  // The lines are formatted, as for every output, and discarded.
  const runtime = { output: { write() {} }, run: startService };
  const services = [
    await openSessionService(environment, runtime),
    await openChallengeService(environment, runtime),
  ] as const;
  return {
    session: services[0].publicUrl,
    challenge: services[1].publicUrl,
    storeUrl: redis.url,
    challengeSecret: environment.CHALLENGE_SECRET,
    async close() {
      for (const service of services) await service.stop();
      await redis.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
