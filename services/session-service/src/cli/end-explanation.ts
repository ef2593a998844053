// Explains to operators why sessions end.

import type { UserId } from '@tollgate/shared/schemas';
import type { EndReason, SessionEnd } from '../domain/session-end.js';

/** What happened, what that means, and what to do. */
export interface EndExplanation {
  readonly what: string;
  readonly means: string;
  readonly todo: string;
}

const NOTHING = 'Nothing.';

const endByUser = (uid: UserId): Pick<EndExplanation, 'means' | 'todo'> => ({
  means: 'Whoever held another session of this user asked for it.',
  todo: `Nothing, if the user did so. If not, somebody else is signed in: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
});

const HOLDERS =
  'its owner and a thief, or two copies of one client (a restored backup or browser profile, a program that does not save the new cookie).';

/** Possible causes of a reuse, the harmless ones first, and what to ask before assuming a theft. */
const REUSES: Readonly<
  Record<NonNullable<SessionEnd['unrecovered']> | 'older', Omit<EndExplanation, 'what'>>
> = {
  older: {
    means: `Two held the cookie: ${HOLDERS}`,
    todo: 'Ask the user for such a copy. If there is none,',
  },
  strict: {
    means: `REFRESH_WINDOW is 0, so that a refresh that is sent twice, or whose answer is lost, ends the session. If it was neither, two held the cookie: ${HOLDERS}`,
    todo: 'If users meet this without a reason, raise REFRESH_WINDOW. If nothing was sent twice or lost, and there is no such copy,',
  },
  spent: {
    means: `The answer may have been lost once more: the recoveries of the last 24 hours (REFRESH_RECOVERIES) were spent. If it was not, two held the cookie: ${HOLDERS}`,
    todo: 'Ask the user for a bad connection, or a program that gives up its refreshes too soon. If there is neither, nor such a copy,',
  },
  used: {
    means: `The current tokens had arrived, for their access token was used. If they were not lost again (a browser that crashed before it saved the cookie), two held the cookie: ${HOLDERS}`,
    todo: 'Ask the user for such a crash or copy. If there is none,',
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
      what: 'Its user ended all sessions but another one (DELETE /sessions).',
      ...endByUser(uid),
    }),
    login: () => ({
      what: 'A login came with its cookie.',
      means: 'The browser signed in again: a login starts a new session and ends the one it presents.',
      todo: NOTHING,
    }),
    admin: () => ({
      what: 'The admin port ended it alone or with all sessions of the user (DELETE /users/{id}/sessions).',
      means: 'A service with SESSION_API_KEY asked for it: a disabled account, support.',
      todo: NOTHING,
    }),
    password: () => ({
      what: 'The password of its user was changed, in another session (POST /password), by an application (PUT /users/{id}/password) or with the command users.',
      means: 'A changed password ends the sessions of all who may have known the old one.',
      todo: `Nothing, if the user did so. If not, set another password (PUT /users/${uid}/password on the admin port).`,
    }),
    user_gone: () => ({
      what: 'The user is gone from the directory, or disabled.',
      means:
        'The command users deleted the user, or the first refresh after that ended all sessions of the user.',
      todo: 'Enable the account again if that was a mistake; the user then signs in.',
    }),
    evicted: () => ({
      what: 'A login was one too many, and of all sessions of the user this one was unused for longest.',
      means: 'A user has MAX_SESSIONS sessions at most.',
      todo: 'If it happens often, look for a program that logs in each time and does not keep its cookie, or raise MAX_SESSIONS.',
    }),
    reuse: () => ({
      what: `A refresh token that had been replaced was used again: generation ${presented} was presented, ${current} was current.`,
      means: reuse.means,
      todo: `${reuse.todo} the cookie was stolen: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
    }),
    binding_failed: () => ({
      what: 'A request was signed with another key than the one that the session is bound to.',
      means:
        'A thief has the cookie and signed with a key of his own, or the client has replaced its key: a page that keeps no key in IndexedDB, a program that does not save it.',
      todo: `Ask the user for such a client. If there is none, the cookie was stolen: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
    }),
    interrupted: () => ({
      what: 'Its end had been asked for and was cut off when the store did not answer; a request of the session finished it.',
      means: 'Whoever asked got a 503: a logout, or the end of all sessions of the user.',
      todo: 'Look for other 503 answers before that time: the store was away or slow.',
    }),
    expired: () => ({
      what: 'It was not refreshed for REFRESH_TTL.',
      means: 'The user has been away.',
      todo: NOTHING,
    }),
    max_age: () => ({
      what: 'It reached SESSION_MAX_AGE.',
      means: 'However often it is refreshed, a session gets no older.',
      todo: NOTHING,
    }),
  };
  return explanations[reason]();
}
