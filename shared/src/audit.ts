// The audit trail: security events of both services, without names or addresses.

export { type AuditTrail, createAuditTrail, LIMITED_EVENTS, MOST_LINES } from './audit/audit-trail.js';
export {
  type AuditCounters,
  openAuditSink,
  openAuditTrail,
  writeStartEvents,
} from './audit/open-audit-trail.js';
