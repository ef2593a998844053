// The bodies of the session service, as session-token-service.md has them.

import { type Static, Type } from '@sinclair/typebox';

/** Longest email address, in characters (RFC 5321, 4.5.3.1.3, less the angle brackets). */
const EMAIL_CHARACTERS = 254;

/** Longest password that is hashed, in bytes of UTF-8. */
export const MAX_PASSWORD_BYTES = 1024;

/** Body of `POST /login`; the challenge fields beside these have configurable names. */
export const LoginBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: EMAIL_CHARACTERS, pattern: '\\S' }),
    password: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_BYTES }),
  },
  { $id: 'LoginBody' },
);
export type LoginBody = Static<typeof LoginBody>;

/** Answer to a log-in and to a refresh. */
export const TokenBody = Type.Object(
  {
    accessToken: Type.String({ description: 'The encrypted, URL-encoded access token' }),
    expiresIn: Type.Integer({ description: 'Seconds until the access token expires' }),
  },
  { $id: 'TokenBody' },
);
export type TokenBody = Static<typeof TokenBody>;

/** Answer to `GET /profile`. */
export const ProfileBody = Type.Object({ id: Type.Integer(), email: Type.String() }, { $id: 'ProfileBody' });
export type ProfileBody = Static<typeof ProfileBody>;
