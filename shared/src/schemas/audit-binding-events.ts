// Audit events about the key of a bound session.

import { address, event, oneOf, request, SESSION, sid, uid } from './audit-fields.js';

const binding = 'Binding state: `key`, `dbsc` or `none`';
const ofBinding = { address, uid, sid, kind: oneOf(binding, 'none', 'key', 'dbsc'), request };

/** The events by their names. */
export const bindingEvents = {
  refresh_bound: event('refresh_bound', SESSION, 'A session was bound to its device', ofBinding),
  refresh_binding_missing: event(
    'refresh_binding_missing',
    SESSION,
    'A refresh without the key was rejected; the session continues. A stolen cookie, or a browser that lost its key',
    ofBinding,
  ),
  refresh_binding_failed: event(
    'refresh_binding_failed',
    SESSION,
    'Another key signed, and the session ended: a stolen cookie, or a client that replaced its key',
    ofBinding,
  ),
} as const;
