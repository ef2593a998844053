// The errors that only the session service returns.

import { defineError } from '@tollgate/shared/http/errors/errors.js';

/** Wrong password, unknown account or disabled account; the response does not tell which. */
export const LoginFailed = defineError('LOGIN_FAILED', 422);

/** The sign-in code is unknown, used, expired, of another origin, or of a user who cannot sign in. */
export const CodeInvalid = defineError('CODE_INVALID', 422);

/** The directory has no such user. */
export const UnknownUser = defineError('UNKNOWN_USER', 404);

/** The user is disabled in the directory. */
export const UserDisabled = defineError('USER_DISABLED', 409);

/** The directory has no way to replace a password: `USERS_SAVE_HASH` or the method `saveHash` is missing. */
export const DirectoryReadOnly = defineError('DIRECTORY_READ_ONLY', 409);

/** The password was changed meanwhile by another request; this one changed nothing. */
export const PasswordConflict = defineError('PASSWORD_CONFLICT', 409);

/** The session or its refresh token has expired. */
export const SessionExpired = defineError('SESSION_EXPIRED', 401);

/** The session is bound to a key of its device, which the request did not show, or the service requires one. */
export const BindingRequired = defineError('BINDING_REQUIRED', 401);

/** The browser's registration is malformed, signed wrong or too old. */
export const RegistrationInvalid = defineError('REGISTRATION_INVALID', 401);

/** The browser has to sign a challenge to renew its cookie. */
export const SignatureRequired = defineError('SIGNATURE_REQUIRED', 403);

/** The session is bound to another key of a browser already. */
export const BindingConflict = defineError('BINDING_CONFLICT', 409);

/** The request carried refresh cookies of several live sessions, or more than eight. The response expires planted ones. */
export const CookieConflict = defineError('COOKIE_CONFLICT', 401);
