// Explains to operators why sessions end.

import type { UserId } from '@tollgate/shared/schemas';
import type { EndReason, SessionEnd } from '../domain/session-end.js';

/** The event, its meaning, and the remedy. */
interface EndExplanation {
  readonly what: string;
  readonly means: string;
  readonly todo: string;
}

const NOTHING = 'Nothing.';

const endByUser = (uid: UserId): Pick<EndExplanation, 'means' | 'todo'> => ({
  means: 'The request came from another session of this user.',
  todo: `Nothing, if the user did so. If not, somebody else is logged in: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
});

const HOLDERS =
  'its owner and a thief, or two copies of one client (a restored backup or browser profile, a program that does not save the new cookie).';

/** Possible causes of a reuse, harmless ones first, and the checks before assuming a theft. */
const REUSES: Readonly<
  Record<NonNullable<SessionEnd['unrecovered']> | 'older', Omit<EndExplanation, 'what'>>
> = {
  older: {
    means: `Two clients had the cookie: ${HOLDERS}`,
    todo: 'Ask the user about such a copy. If there is none,',
  },
  strict: {
    means: `REFRESH_WINDOW is 0, so a repeated refresh, or one whose response is lost, ends the session. If it was neither, two clients had the cookie: ${HOLDERS}`,
    todo: 'If this happens to users without a reason, raise REFRESH_WINDOW. If nothing was repeated or lost, and there is no such copy,',
  },
  spent: {
    means: `The response may have been lost once more: the recoveries of the last 24 hours (REFRESH_RECOVERIES) were spent. If not, two clients had the cookie: ${HOLDERS}`,
    todo: 'Ask the user about a bad connection, or a program that aborts its refreshes too soon. If there is neither, nor such a copy,',
  },
  used: {
    means: `The current tokens had arrived, for their access token was used. If they were not lost again (a browser that crashed before it saved the cookie), two clients had the cookie: ${HOLDERS}`,
    todo: 'Ask the user about such a crash or copy. If there is none,',
  },
};

/** @param uid user of the session */
export function explainEnd(
  { reason, presented, current, unrecovered }: SessionEnd,
  uid: UserId,
): EndExplanation {
  const reuse = REUSES[unrecovered ?? 'older'];
  const explanations: Record<EndReason, () => EndExplanation> = {
    logout: () => ({
      what: 'Its owner logged out.',
      means: 'A client sent its bearer to POST /logout, or its cookie to DELETE /refresh.',
      todo: NOTHING,
    }),
    revoked: () => ({
      what: 'Its user ended it from another session (DELETE /sessions/{id}).',
      ...endByUser(uid),
    }),
    others_revoked: () => ({
      what: 'Its user ended all other sessions from another one (DELETE /sessions).',
      ...endByUser(uid),
    }),
    login: () => ({
      what: 'A login was sent with its cookie.',
      means: 'The browser logged in again: a login starts a new session and ends the presented one.',
      todo: NOTHING,
    }),
    admin: () => ({
      what: 'The admin port ended it, alone or with all sessions of the user (DELETE /users/{id}/sessions).',
      means: 'A service with SESSION_API_KEY requested it: a disabled account, support.',
      todo: NOTHING,
    }),
    password: () => ({
      what: 'The password of its user was changed, in another session (POST /password), by an application (PUT /users/{id}/password) or with the command users.',
      means: 'A password change ends the sessions of everybody who may have known the old one.',
      todo: `Nothing, if the user did so. If not, set another password (PUT /users/${uid}/password on the admin port).`,
    }),
    user_gone: () => ({
      what: 'The user is gone from the directory, or disabled.',
      means:
        'The command users deleted the user, or the first refresh after that ended all sessions of the user.',
      todo: 'Enable the account again if that was a mistake; the user then logs in.',
    }),
    evicted: () => ({
      what: 'A login exceeded the limit, and this was the least recently used session of the user.',
      means: 'A user has at most MAX_SESSIONS sessions.',
      todo: 'If it happens often, look for a program that logs in each time and does not save its cookie, or raise MAX_SESSIONS.',
    }),
    reuse: () => ({
      what: `A replaced refresh token was used again: generation ${presented} was presented, ${current} was current.`,
      means: reuse.means,
      todo: `${reuse.todo} the cookie was stolen: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
    }),
    binding_failed: () => ({
      what: "A request was signed with another key than the session's.",
      means:
        'A thief has the cookie and signed with another key, or the client has replaced its key: a page that does not store it in IndexedDB, a program that does not save it.',
      todo: `Ask the user about such a client. If there is none, the cookie was stolen: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
    }),
    interrupted: () => ({
      what: 'Its end had been requested and was interrupted when the store did not respond; a request of the session completed it.',
      means: 'The requesting client got a 503: a logout, or the end of all sessions of the user.',
      todo: 'Look for other 503 responses before that time: the store was unreachable or slow.',
    }),
    expired: () => ({
      what: 'It was not refreshed for REFRESH_TTL.',
      means: 'The user has been away.',
      todo: NOTHING,
    }),
    max_age: () => ({
      what: 'It reached SESSION_MAX_AGE.',
      means: 'A session gets no older, however often it is refreshed.',
      todo: NOTHING,
    }),
  };
  return explanations[reason]();
}
