// The bodies of the session service.

import { type Static, Type } from '@sinclair/typebox';
import { AuthenticationClaims } from './token-claims.js';
import { UserClaims } from './user-claims.js';
import { UserId } from './user-id.js';

/** The longest e-mail address, in characters (RFC 5321, 4.5.3.1.3, without the angle brackets). */
export const EMAIL_CHARACTERS = 254;

/** Any character except control characters (Unicode category Cc): stores and databases cut or drop those. */
const PRINTABLE = '[^\\u0000-\\u001f\\u007f-\\u009f]';

/** An e-mail address or a user name: without control characters, and not only spaces. */
const EmailText = Type.String({
  minLength: 1,
  maxLength: EMAIL_CHARACTERS,
  pattern: `^${PRINTABLE}*(?=\\S)${PRINTABLE}+$`,
});

/** The longest password, in bytes of UTF-8. */
export const MAX_PASSWORD_BYTES = 1024;

/** The shortest new password, in characters. */
export const MIN_PASSWORD_CHARACTERS = 8;

const Remember = Type.Optional(
  Type.Boolean({
    description: 'False: the session ends with the browser, and sooner without a refresh. Default true',
  }),
);

/** Body of `POST /login`; the challenge fields beside these have configurable names. */
export const LoginBody = Type.Object(
  {
    email: EmailText,
    password: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_BYTES }),
    remember: Remember,
  },
  { $id: 'LoginBody' },
);
export type LoginBody = Static<typeof LoginBody>;

/** Body of `POST /users/:id/sign-in-codes`. */
export const SignInCodeRequest = Type.Object(
  {
    origin: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Origin of the page that exchanges the code, as browsers send it: scheme, host and port',
    }),
    ...AuthenticationClaims.properties,
  },
  { $id: 'SignInCodeRequest', additionalProperties: false },
);
export type SignInCodeRequest = Static<typeof SignInCodeRequest>;

/** Response to `POST /users/:id/sign-in-codes`. */
export const SignInCodeBody = Type.Object(
  {
    code: Type.String({ description: 'Single-use code for `POST /login/code`' }),
    expires_in: Type.Integer({ description: 'Seconds until expiry' }),
  },
  { $id: 'SignInCodeBody' },
);
export type SignInCodeBody = Static<typeof SignInCodeBody>;

/** Body of `POST /login/code`. */
export const LoginCodeBody = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 100 }), remember: Remember },
  { $id: 'LoginCodeBody' },
);
export type LoginCodeBody = Static<typeof LoginCodeBody>;

/** Body of `POST /reauthenticate`; the challenge fields beside it have configurable names. */
export const ReauthenticationBody = Type.Object(
  { password: LoginBody.properties.password },
  { $id: 'ReauthenticationBody' },
);
export type ReauthenticationBody = Static<typeof ReauthenticationBody>;

/** Body of `POST /reauthenticate/code`. */
export const ReauthenticationCodeBody = Type.Object(
  { code: LoginCodeBody.properties.code },
  { $id: 'ReauthenticationCodeBody' },
);
export type ReauthenticationCodeBody = Static<typeof ReauthenticationCodeBody>;

const NewPassword = Type.String({ minLength: MIN_PASSWORD_CHARACTERS, maxLength: MAX_PASSWORD_BYTES });

/** Body of `POST /password`; the challenge fields beside these have configurable names. */
export const PasswordChangeBody = Type.Object(
  { old_password: LoginBody.properties.password, new_password: NewPassword },
  { $id: 'PasswordChangeBody' },
);
export type PasswordChangeBody = Static<typeof PasswordChangeBody>;

/** Body of `PUT /users/:id/password`. */
export const NewPasswordBody = Type.Object(
  { new_password: NewPassword },
  { $id: 'NewPasswordBody', additionalProperties: false },
);
export type NewPasswordBody = Static<typeof NewPasswordBody>;

/** Answer to a login, a refresh and a reauthentication. */
export const TokenBody = Type.Object(
  {
    accessToken: Type.String({ description: 'The encrypted, URL-encoded access token' }),
    expiresIn: Type.Integer({ description: 'Seconds until the access token expires' }),
  },
  { $id: 'TokenBody' },
);
export type TokenBody = Static<typeof TokenBody>;

/**
 * Response to `POST /refresh/bind` and `/refresh/renew`: instructions for a browser with Device Bound Session Credentials.
 */
export const BrowserSessionBody = Type.Object(
  {
    session_identifier: Type.String({ description: "The session's id" }),
    refresh_url: Type.String({ description: 'Path for renewing the cookie' }),
    scope: Type.Object({ origin: Type.String(), include_site: Type.Boolean() }),
    credentials: Type.Array(
      Type.Object({
        type: Type.Literal('cookie'),
        name: Type.String(),
        attributes: Type.String({ description: 'As in Set-Cookie, without the lifetime' }),
      }),
    ),
    allowed_refresh_initiators: Type.Optional(
      Type.Array(Type.String({ description: 'Host whose pages on another origin trigger renewals' })),
    ),
  },
  { $id: 'BrowserSessionBody' },
);
export type BrowserSessionBody = Static<typeof BrowserSessionBody>;

/** Response to `POST /refresh/renew` that ends the browser's session. */
export const BrowserSessionEnd = Type.Object(
  { session_identifier: Type.String(), continue: Type.Literal(false) },
  { $id: 'BrowserSessionEnd' },
);
export type BrowserSessionEnd = Static<typeof BrowserSessionEnd>;

/** Response to `GET /profile`. */
export const ProfileBody = Type.Object({ id: UserId, email: Type.String() }, { $id: 'ProfileBody' });
export type ProfileBody = Static<typeof ProfileBody>;

/** One session in the response to `GET /sessions`. */
export const SessionEntry = Type.Object(
  {
    id: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time', description: 'Time of the login or last refresh' }),
    expires_at: Type.String({ format: 'date-time', description: 'Expiry time if not refreshed' }),
    user_agent: Type.String(),
    current: Type.Boolean({ description: 'True for the current session' }),
  },
  { $id: 'SessionEntry' },
);
export type SessionEntry = Static<typeof SessionEntry>;

/** Response to `GET /sessions`. */
export const SessionsBody = Type.Object({ sessions: Type.Array(SessionEntry) }, { $id: 'SessionsBody' });
export type SessionsBody = Static<typeof SessionsBody>;

/** Body of `POST /introspect` (RFC 7662, 2.1); other fields are ignored. */
export const IntrospectionForm = Type.Object(
  { token: Type.String({ minLength: 1 }) },
  { $id: 'IntrospectionForm' },
);
export type IntrospectionForm = Static<typeof IntrospectionForm>;

/** Response to `POST /introspect` (RFC 7662, 2.2). */
export const IntrospectionAnswer = Type.Object(
  {
    active: Type.Boolean(),
    sub: Type.Optional(Type.String({ description: "The user's id" })),
    email: Type.Optional(Type.String()),
    sid: Type.Optional(Type.String({ description: "The session's id" })),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    iat: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    token_type: Type.Optional(Type.Literal('Bearer')),
    ...AuthenticationClaims.properties,
    claims: Type.Optional(UserClaims),
  },
  { $id: 'IntrospectionAnswer' },
);
export type IntrospectionAnswer = Static<typeof IntrospectionAnswer>;
