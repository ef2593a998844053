// The content of a sign-in code, and its encoding in the store.

import { readUserId, type UserId } from '@tollgate/shared/schemas';
import { formatAttributes, parseAttributes, type SessionAttributes } from './session-record.js';

/** A code logs this user in, once, on pages of this origin. */
export interface SignInCode {
  /** The user's id. */
  readonly uid: UserId;
  /** On the store's clock, in milliseconds since 1970. */
  readonly createdAtMs: number;
  /** As browsers send it: scheme, host and port. */
  readonly origin: string;
  /** How the application authenticated the user (authentication.ts). */
  readonly attributes: SessionAttributes;
}

/** Lifetime of a code, in seconds. */
export const CODE_SECONDS = 60;

/** Encodes a code as user id, time and origin; after a tab the attributes, as in a session record. */
export function formatSignInCode({ uid, createdAtMs, origin, attributes }: SignInCode): string {
  return `${uid} ${createdAtMs} ${origin}${formatAttributes(attributes)}`;
}

/** Decodes the result of `formatSignInCode`. */
export function parseSignInCode(text: string): SignInCode {
  const [head = '', attributes = ''] = text.split('\t');
  const [uid = '', createdAtMs, origin = ''] = head.split(' ');
  return {
    uid: readUserId(uid),
    createdAtMs: Number(createdAtMs),
    origin,
    attributes: parseAttributes(attributes),
  };
}
