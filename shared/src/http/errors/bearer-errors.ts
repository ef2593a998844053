// The errors that a bearer is refused with, in every service.

import { defineError } from './define-error.js';

/** The token is missing, malformed, forged or, as an access token, expired. */
export const TokenInvalid = defineError('TOKEN_INVALID', 401);

/** The session was ended, or its refresh token was used twice. */
export const SessionRevoked = defineError('SESSION_REVOKED', 401);
