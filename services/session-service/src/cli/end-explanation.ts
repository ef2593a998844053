// Why sessions end, in words for operators.

import type { EndReason, SessionEnd } from '../domain/session-end.js';

/** What happened, what that means, and what to do. */
export interface EndExplanation {
  readonly what: string;
  readonly means: string;
  readonly todo: string;
}

const NOTHING = 'Nothing.';

const endByUser = (uid: number): Pick<EndExplanation, 'means' | 'todo'> => ({
  means: 'Whoever held another session of this user asked for it.',
  todo: `Nothing, if the user did so. If not, somebody else is signed in: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
});

/** @param uid the user of the session */
export function explainEnd({ reason, presented, current }: SessionEnd, uid: number): EndExplanation {
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
      what: 'A log-in came with its cookie.',
      means: 'The browser signed in again: a log-in starts a new session and ends the one it presents.',
      todo: NOTHING,
    }),
    admin: () => ({
      what: 'The admin port ended all sessions of the user (DELETE /users/{id}/sessions).',
      means: 'A service with SESSION_API_KEY asked for it: a changed password, a disabled account, support.',
      todo: NOTHING,
    }),
    user_gone: () => ({
      what: 'A refresh found that the user is gone from the directory, or disabled.',
      means: 'The first refresh after that ended all sessions of the user.',
      todo: 'Enable the account again if that was a mistake; the user then signs in.',
    }),
    evicted: () => ({
      what: 'A log-in was one too many, and of all sessions of the user this one was unused for longest.',
      means: 'A user has MAX_SESSIONS sessions at most.',
      todo: 'If it happens often, look for a program that logs in each time and does not keep its cookie, or raise MAX_SESSIONS.',
    }),
    reuse: () => ({
      what: `A refresh token that had been replaced was used again: generation ${presented} was presented, ${current} was current.`,
      means:
        'Two held the cookie: its owner and a thief, or two copies of one client (a restored backup or browser profile, a program that does not save the new cookie).',
      todo: `Ask the user for such a copy. If there is none, the cookie was stolen: have the password changed, then end all sessions (DELETE /users/${uid}/sessions on the admin port).`,
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
