// The events of the audit stream about the key that a session is bound to.

import { address, event, oneOf, request, SESSION, sid, uid } from './audit-fields.js';

const binding =
  'How the session is bound: `key` by proofs of the page, `dbsc` by the browser itself, `none` not yet';
const ofBinding = { address, uid, sid, kind: oneOf(binding, 'none', 'key', 'dbsc'), request };

/** The events by their names. */
export const bindingEvents = {
  refresh_bound: event('refresh_bound', SESSION, 'A session was bound to a key of its device', ofBinding),
  refresh_binding_missing: event(
    'refresh_binding_missing',
    SESSION,
    'A refresh did not show the key of its session and was refused; the session goes on. A stolen cookie, or a browser that has lost its key',
    ofBinding,
  ),
  refresh_binding_failed: event(
    'refresh_binding_failed',
    SESSION,
    'A request was signed with another key than that of its session, which was ended. A stolen cookie, or a client that has replaced its key',
    ofBinding,
  ),
} as const;
