// Sends requests to protected routes, and displays errors.

import { translate } from './i18n.js';
import { notify } from './notice.js';

/** @param {import('./client/session.js').Session} session */
export function createSessionRequest(session) {
  /** Resolves with the response and its body; with undefined after a rejection, whose message has been displayed. */
  return async function request(path, init) {
    try {
      const response = await session.fetch(path, init);
      const { status } = response;
      // 404: the session to end has already ended.
      if (response.ok || status === 404)
        return { status, body: status === 204 ? null : await response.json() };
      // 401: the session has ended, and the page displays that by itself.
      if (status === 401) return undefined;
      notify((await response.json()).message, 'bad', response.headers.get('Content-Language') ?? '');
    } catch {
      notify(translate('no_answer'), 'bad');
    }
    return undefined;
  };
}
