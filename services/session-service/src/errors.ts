// The errors that only the session service returns.

import { defineError } from '@tollgate/shared/http';

/** Wrong password, unknown, disabled or invalid account, indistinguishably. */
export const LoginFailed = defineError('LOGIN_FAILED', 422);

/** The sign-in code is unknown, used, expired, void, of another origin, or its user cannot log in. */
export const CodeInvalid = defineError('CODE_INVALID', 422);

/** The directory has no such user. */
export const UnknownUser = defineError('UNKNOWN_USER', 404);

/** The user is disabled in the directory. */
export const UserDisabled = defineError('USER_DISABLED', 409);

/** The directory cannot save passwords: `USERS_SAVE_HASH` or `saveHash` is missing. */
export const DirectoryReadOnly = defineError('DIRECTORY_READ_ONLY', 409);

/** Another request changed the password meanwhile; this one changed nothing. */
export const PasswordConflict = defineError('PASSWORD_CONFLICT', 409);

/** Refresh token or session (`SESSION_MAX_AGE`) has expired. */
export const SessionExpired = defineError('SESSION_EXPIRED', 401);

/** The request lacks the device key of the session, or the service requires one. Nothing changed. */
export const BindingRequired = defineError('BINDING_REQUIRED', 401);

/** The browser registration is malformed, wrongly signed or minutes old. */
export const RegistrationInvalid = defineError('REGISTRATION_INVALID', 401);

/** The browser must sign the challenge to renew its cookie. */
export const SignatureRequired = defineError('SIGNATURE_REQUIRED', 403);

/** The session is bound to another browser key. Nothing was ended. */
export const BindingConflict = defineError('BINDING_CONFLICT', 409);

/** Refresh cookies of several live sessions, or more than eight; planted ones expire. */
export const CookieConflict = defineError('COOKIE_CONFLICT', 401);
