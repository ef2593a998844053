// The dependencies of the application that live in its stores.

import {
  createProofOfUse,
  followRevocations,
  openAccessLifetimes,
  openRevocationLog,
  type RevocationLog,
} from '@tollgate/shared/sessions';
import { openChallengeStore, openRequestCounter } from '@tollgate/shared/store';
import type { SessionDependencies } from './app.js';
import type { SessionConfig } from './config.js';
import { openAccountEvents } from './stores/account-events.js';
import { openDeviceVoids } from './stores/device-voids.js';
import { openSessionStore } from './stores/open-session-store.js';
import { createRevoker } from './stores/revoker.js';
import { openSignInCodes } from './stores/sign-in-codes.js';

/**
 * Opens the dependencies on both stores, and follows the revocation log. The caller stops `revocations` and
 * `revoker`, and closes the stores.
 * @param redis one store may be both
 * @param log by default the session store's revocation log
 */
export function openStoreDependencies(
  { values, captcha }: SessionConfig,
  redis: SessionDependencies['redis'],
  logger: SessionDependencies['logger'],
  log: RevocationLog = openRevocationLog(redis.sessions),
) {
  const store = redis.sessions;
  const keepMs = values.AUDIT_TTL * 1000;
  const sessions = openSessionStore(store, keepMs);
  const revocations = followRevocations(log, logger);
  return {
    accountEvents: openAccountEvents(store, keepMs),
    challenges: openChallengeStore(redis.challenges, captcha.cache.prefix),
    countRequest: openRequestCounter(store, 'session'),
    deviceVoids: openDeviceVoids(store),
    lifetimes: openAccessLifetimes(values.ACCESS_TTL, store),
    proveUse: createProofOfUse(sessions),
    redis,
    revocationLog: log,
    revocations,
    revoker: createRevoker({
      log,
      follower: revocations,
      accessTtlMs: values.ACCESS_TTL * 1000,
      logger,
    }),
    sessions,
    signInCodes: openSignInCodes(store),
  };
}
