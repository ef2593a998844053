// Decorates the server with the routes' dependencies: stores, the directory, the login, metrics.

import { answerLimit } from '@tollgate/shared/http';
import type { RevocationFollower, RevocationLog } from '@tollgate/shared/sessions';
import { underLimit } from '@tollgate/shared/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { AccountDirectory } from '../directory/directory.js';
import type { SignIn } from '../passwords/sign-in.js';
import type { DeviceVoids } from '../stores/device-voids.js';
import type { Revoker } from '../stores/revoker.js';
import type { SessionStore } from '../stores/session-store.js';
import type { SignInCodes } from '../stores/sign-in-codes.js';
import type { SessionMetrics } from './session-metrics.js';

/**
 * The stores, and the publication of ended sessions. A request uses the first three by `sessionsOf`, `deviceVoidsOf` and
 * `signInCodesOf`, within its time limit.
 */
interface SessionStores {
  readonly sessions: SessionStore;
  /** The voids of device cookies. */
  readonly deviceVoids: DeviceVoids;
  readonly signInCodes: SignInCodes;
  /** Knows the revoked sessions. */
  readonly revocations: RevocationFollower;
  /** The log of revoked sessions itself. */
  readonly revocationLog: RevocationLog;
  /** Publishes the end of sessions to all nodes. */
  readonly revoker: Revoker;
}

/** Opened and closed by service.ts. */
export interface DecoratedDependencies extends SessionStores {
  readonly directory: AccountDirectory;
  readonly signIn: SignIn;
  readonly metrics: SessionMetrics;
}

declare module 'fastify' {
  interface FastifyInstance extends Omit<DecoratedDependencies, keyof SessionStores> {
    stores: SessionStores;
  }
}

/**
 * The session store, within a request's time limit for unresponsive stores. Call it at each use: earlier waits of the
 * request reduce its limit.
 */
export function sessionsOf({ server, answerLimit: limit }: FastifyRequest): SessionStore {
  return underLimit(limit, server.stores.sessions);
}

/** The voids of device cookies, within the time limit of a request. */
export function deviceVoidsOf({ server, answerLimit: limit }: FastifyRequest): DeviceVoids {
  return underLimit(limit, server.stores.deviceVoids);
}

/** The sign-in codes, within the time limit of a request. */
export function signInCodesOf({ server, answerLimit: limit }: FastifyRequest): SignInCodes {
  return underLimit(limit, server.stores.signInCodes);
}

async function dependencies(app: FastifyInstance, deps: DecoratedDependencies): Promise<void> {
  await app.register(answerLimit);
  app.decorate('stores', deps);
  app.decorate('directory', deps.directory);
  app.decorate('signIn', deps.signIn);
  app.decorate('metrics', deps.metrics);
}

/** Decorates the server with its dependencies. */
export default fp(dependencies, { name: 'tollgate-session-dependencies', fastify: '5.x' });
