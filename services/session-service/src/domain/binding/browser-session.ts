// The messages of Device Bound Session Credentials: what browsers send to register and renew, and what they are told.

import { type CompactJws, readCompactJws } from '@tollgate/shared/crypto/compact-jws.js';
import { type DeviceKey, readDeviceKey } from '@tollgate/shared/crypto/public-jwk.js';

/** The longest signed text that is read, in characters: one with an RSA key of 4,096 bits has some 2,300. */
const MAX_JWT_CHARACTERS = 4096;

const TYPE = 'dbsc+jwt';

/** The external addresses and the cookie of the service, as browsers know them. */
export interface BrowserSessionOptions {
  /** Scheme, host and port of `PUBLIC_URL`. */
  readonly origin: string;
  /** The path of `PUBLIC_URL`, without a slash at its end. */
  readonly basePath: string;
  readonly cookie: string;
  /** The cookie's attributes as in `Set-Cookie`, but for its lifetime. */
  readonly attributes: string;
  /** Host of the pages on another origin, if they are on one. */
  readonly initiator: string | undefined;
}

/** The body by which a browser starts or keeps its session. */
export function sessionInstructions(sid: string, options: BrowserSessionOptions) {
  const { origin, basePath, cookie, attributes, initiator } = options;
  return {
    session_identifier: sid,
    refresh_url: `${basePath}/refresh/renew`,
    scope: { origin, include_site: false },
    credentials: [{ type: 'cookie' as const, name: cookie, attributes }],
    ...(initiator === undefined ? {} : { allowed_refresh_initiators: [initiator] }),
  };
}

/** The header that offers a registration. */
export function registrationHeader(challenge: string, { basePath }: BrowserSessionOptions): string {
  return `(ES256 RS256);path="${basePath}/refresh/bind";challenge="${challenge}"`;
}

/** The header that asks for a signature. */
export function challengeHeader(challenge: string, sid: string): string {
  return `"${challenge}";id="${sid}"`;
}

/** The text of a structured header: bare, as browsers send it, or quoted, as the draft says; parameters are dropped. */
export function headerText(value: string | readonly string[] | undefined): string {
  if (typeof value !== 'string') return '';
  // White space at one place only: at two, a header of nothing else would take time with the square of its length.
  const [, quoted, bare] = /^(?:"([^"\\]*)"|([^";\s]*)) *(?:;.*)?$/s.exec(value) ?? [];
  return quoted ?? bare ?? '';
}

/** Reads the signed text of a registration or a renewal; undefined if it is malformed. */
export function readBrowserJwt(text: string): CompactJws | undefined {
  const jws = text.length > MAX_JWT_CHARACTERS ? undefined : readCompactJws(text);
  return jws?.header.typ === TYPE ? jws : undefined;
}

/** The key that a registration brings and has signed with; undefined if there is none, or the signature is wrong. */
export function registeredKey(jws: CompactJws): DeviceKey | undefined {
  const key = readDeviceKey(jws.header.jwk);
  return key !== undefined && jws.isSignedBy(key) ? key : undefined;
}
