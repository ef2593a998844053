// The session of a page, in its browser.

import { browserSurroundings } from './environment.js';
import { openSession } from './open-session.js';
import type { Session, SessionOptions } from './session-options.js';

/**
 * Makes the session of a page; one for each page is enough. It does not ask by itself whether somebody is signed in:
 * call `resume` when the page starts. The access token stays inside: no storage, no property and no message has it.
 */
export function createSession(options: SessionOptions = {}): Session {
  return openSession(options, browserSurroundings());
}
