// Asks a protected route, and says what went wrong.
import { notify } from './notice.js';
import { say } from './i18n.js';

/** @param {import('./client/session.js').Session} session */
export function createAsk(session) {
  /** Resolves with the response, or with nothing when it was a refusal: that has been said then. */
  return async function ask(path, init) {
    try {
      const response = await session.fetch(path, init);
      // What was to be ended is over already.
      if (response.ok || response.status === 404) return response;
      // With a 401 the session is over, and the page says so by itself.
      if (response.status === 401) return undefined;
      notify((await response.json()).message, 'bad', response.headers.get('Content-Language') ?? '');
    } catch {
      notify(say('no_answer'), 'bad');
    }
    return undefined;
  };
}
