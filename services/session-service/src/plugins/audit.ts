// Writes security events to the audit stream, and the events of accounts to the store.

import type { AuditTrail } from '@tollgate/shared/audit';
import { accountPseudonym, addressPseudonym, normaliseAddress } from '@tollgate/shared/challenges';
import type { KeyRing } from '@tollgate/shared/crypto';
import { answerLimitOf } from '@tollgate/shared/http';
import type { AuditEntry } from '@tollgate/shared/schemas';
import { waitForAnswer } from '@tollgate/shared/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { AccountEvent, AccountEventName, FailureReason } from '../domain/account-event.js';
import type { AccountEvents } from '../stores/account-events.js';

/** Dependencies of the plugin. */
interface AuditOptions {
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly trail: AuditTrail;
  readonly accountEvents: AccountEvents;
  /** The application of the account keys. */
  readonly host: string;
}

/** Events caused by requests. */
type RequestEvent = Extract<AuditEntry, { request?: string }>['event'];
/** The event fields of the caller. */
type EventDetails<Event extends RequestEvent> = Omit<
  Extract<AuditEntry, { event: Event }>,
  'event' | 'address' | 'request'
>;

/** The audit stream of requests, and the history of accounts. */
interface RequestAudit {
  /** Writes an event with the pseudonym of the client's address and the id of the request. */
  write<Event extends RequestEvent>(request: FastifyRequest, event: Event, about: EventDetails<Event>): void;
  /**
   * Writes the outcome of a login, and stores it for the command `session account`. Never throws: if the store does not
   * respond, it logs a warning.
   * @param key the attempted account key
   * @param reason why a password login failed, only for the command
   */
  logIn<Event extends Exclude<AccountEventName, 'login_refused'>>(
    request: FastifyRequest,
    event: Event,
    key: string,
    about: Omit<EventDetails<Event>, 'account'>,
    reason?: FailureReason,
  ): Promise<void>;
  /**
   * Stores that the challenges of a login were rejected, for the command `session account`; the audit stream has
   * `challenge_refused`. Never throws.
   * @param code code of the error
   */
  refusedLogIn(request: FastifyRequest, key: string, code: string): Promise<void>;
  /** Pseudonym of the client's address, for the log and the store; undefined if the address is invalid. */
  pseudonymOf(request: FastifyRequest): string | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    audit: RequestAudit;
  }
}

async function audit(
  app: FastifyInstance,
  { ring, trail, accountEvents, host }: AuditOptions,
): Promise<void> {
  const pseudonymOf = ({ ip }: FastifyRequest): string | undefined => {
    const address = normaliseAddress(ip);
    return address === null ? undefined : addressPseudonym(ring.current, address);
  };
  const write = (request: FastifyRequest, event: RequestEvent, about: object) => {
    const address = pseudonymOf(request);
    const entry = { event, ...about, ...(address === undefined ? {} : { address }), request: request.id };
    trail.write(entry as AuditEntry);
  };
  const note = async (request: FastifyRequest, event: Omit<AccountEvent, 'atMs' | 'address'>) => {
    try {
      const noted = accountEvents.note({ address: pseudonymOf(request), ...event });
      await waitForAnswer(answerLimitOf(request), noted);
    } catch (error) {
      request.log.warn({ err: error }, "an event could not be added to the account's history");
    }
  };
  app.decorate('audit', {
    write,
    pseudonymOf,
    async logIn(request, event, key, about, reason) {
      const account = accountPseudonym(ring.current, host, key);
      write(request, event, { ...about, account });
      await note(request, { ...about, event, account, reason });
    },
    async refusedLogIn(request, key, code) {
      const account = accountPseudonym(ring.current, host, key);
      await note(request, { event: 'login_refused', account, reason: code });
    },
  });
}

/** Decorates the server with `audit`. */
export default fp(audit, { name: 'tollgate-audit', fastify: '5.x' });
