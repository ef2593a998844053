// The errors that only the session service answers with.

import { defineError } from '@tollgate/shared/http/errors/errors.js';

/** Wrong password, unknown account or disabled account: all the same. */
export const LoginFailed = defineError('LOGIN_FAILED', 422);

/** The session or its refresh token has reached its end. */
export const SessionExpired = defineError('SESSION_EXPIRED', 401);

/** Refresh cookies of two different sessions were sent. */
export const CookieConflict = defineError('COOKIE_CONFLICT', 401);
