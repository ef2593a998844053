// Writes a line of log for every security event, and counts it.

import { normaliseAddress } from '@tollgate/shared/challenges/address.js';
import { addressName } from '@tollgate/shared/challenges/names.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { EndReason } from '../domain/session-end.js';

/** The security events (decisions 3.7). */
export const auditEvents = [
  'login',
  'login_failed',
  'login_throttled',
  'refresh_reuse_detected',
  'state_rollback',
  'logout',
  'revoke',
] as const;
export type AuditEvent = (typeof auditEvents)[number];

/** What events are written with. */
export interface AuditOptions {
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly count: (event: AuditEvent) => void;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs an event with the keyed address of the client, and the session, user and reason of a revocation where there are any. */
    audit(
      request: FastifyRequest,
      event: AuditEvent,
      about?: { sid?: string; uid?: number; reason?: EndReason },
    ): void;
    /** The address of the client, keyed, as the log and the store may hold it. */
    keyedAddress(request: FastifyRequest): string | undefined;
  }
}

async function audit(app: FastifyInstance, { ring, count }: AuditOptions): Promise<void> {
  const keyedAddress = (request: FastifyRequest): string | undefined => {
    const address = normaliseAddress(request.ip);
    return address === null ? undefined : addressName(ring.current, address);
  };
  app.decorate('keyedAddress', keyedAddress);
  app.decorate('audit', (request, event, about = {}) => {
    request.log.info({ event, ...about, address: keyedAddress(request) }, 'security event');
    count(event);
  });
}

/** Decorates the server with `audit` and `keyedAddress`. */
export default fp(audit, { name: 'tollgate-audit', fastify: '5.x' });
