// Writes security events to the audit stream, and keeps what happened to an account in the store.

import type { AuditTrail } from '@tollgate/shared/audit/audit-trail.js';
import { normaliseAddress } from '@tollgate/shared/challenges/attempts/normalise.js';
import { accountPseudonym, addressPseudonym } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { AuditEntry } from '@tollgate/shared/schemas/audit-events.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { AccountEventName } from '../domain/account-event.js';
import type { AccountEvents } from '../stores/account-events.js';

/** What events are written with. */
export interface AuditOptions {
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly trail: AuditTrail;
  readonly accountEvents: AccountEvents;
  /** The host whose account keys they are. */
  readonly host: string;
}

/** Events that a request causes. */
type RequestEvent = Extract<AuditEntry, { request?: string }>['event'];
/** What the caller says of one. */
type About<Event extends RequestEvent> = Omit<
  Extract<AuditEntry, { event: Event }>,
  'event' | 'address' | 'request'
>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Writes an event with the keyed address of the client and the id of the request. */
    audit<Event extends RequestEvent>(request: FastifyRequest, event: Event, about: About<Event>): void;
    /**
     * Writes the outcome of a log-in, and keeps it in the store for the command `session account`. Never throws: a store
     * that does not answer is told of in the log.
     * @param key the account key as it was tried
     */
    auditLogIn<Event extends AccountEventName>(
      request: FastifyRequest,
      event: Event,
      key: string,
      about: Omit<About<Event>, 'account'>,
    ): Promise<void>;
    /** The address of the client, keyed, as the log and the store may hold it. */
    keyedAddress(request: FastifyRequest): string | undefined;
  }
}

async function audit(app: FastifyInstance, options: AuditOptions): Promise<void> {
  const { ring, trail, accountEvents, host } = options;
  const keyedAddress = (request: FastifyRequest): string | undefined => {
    const address = normaliseAddress(request.ip);
    return address === null ? undefined : addressPseudonym(ring.current, address);
  };
  app.decorate('keyedAddress', keyedAddress);
  app.decorate('audit', (request: FastifyRequest, event: RequestEvent, about: object) => {
    const address = keyedAddress(request);
    const entry = { event, ...about, ...(address === undefined ? {} : { address }), request: request.id };
    trail.write(entry as AuditEntry);
  });
  app.decorate(
    'auditLogIn',
    async (request: FastifyRequest, event: AccountEventName, key: string, about: object) => {
      const account = accountPseudonym(ring.current, host, key);
      app.audit(request, event, { ...about, account } as About<AccountEventName>);
      try {
        await accountEvents.note({ event, account, address: keyedAddress(request), ...about });
      } catch (error) {
        request.log.warn({ err: error }, 'the history of the account misses an event');
      }
    },
  );
}

/** Decorates the server with `audit`, `auditLogIn` and `keyedAddress`. */
export default fp(audit, { name: 'tollgate-audit', fastify: '5.x' });
