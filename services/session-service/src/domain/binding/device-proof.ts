// Evidence of a device key: challenges, proofs of pages, the bound cookie, and the sessions of browsers (DBSC).

import { equalText, type KeyRing, keyedHash, type RingKey } from '@tollgate/shared/crypto';
import type { CookiePrefix } from '../presented-cookies.js';
import type { BindingKey } from './binding-rule.js';
import { type CompactJws, readCompactJws } from './compact-jws.js';
import { type DeviceKey, readDeviceKey } from './public-jwk.js';

/**
 * The purpose of a challenge: the proof that binds a session (`first`), the registration of a browser's key (`bind`), the
 * renewals with that key, or the later proofs of a page. Only the response to a login has `first` and `bind`, so a copied
 * cookie cannot bind its session.
 */
export type ChallengePurpose = 'first' | 'bind' | 'renew' | 'proof';

/**
 * How long one challenge is issued, in milliseconds, and for how many such periods it is accepted afterwards. A page binds
 * its session with the first refresh: `first` lives longer than an access token, at least 20 minutes.
 */
const SLICES = {
  first: { ms: 300_000, accepted: 4 },
  bind: { ms: 60_000, accepted: 1 },
  renew: { ms: 60_000, accepted: 1 },
  proof: { ms: 300_000, accepted: 1 },
} as const;

/**
 * The current challenge of a session: 16 bytes of HMAC-SHA256, base64url.
 * @param ring the keys of `REFRESH_SECRET`; the first one makes
 */
export function challengeFor(ring: KeyRing, purpose: ChallengePurpose, sid: string, nowMs: number): string {
  return challengeOf(ring.current, purpose, sid, sliceAt(purpose, nowMs));
}

/**
 * Whether a string is a challenge of the session for this purpose: of the current time slice, of still accepted earlier
 * ones, or of the next, because nodes' clocks differ.
 */
export function isCurrentChallenge(
  ring: KeyRing,
  purpose: ChallengePurpose,
  sid: string,
  nowMs: number,
  text: unknown,
): boolean {
  if (typeof text !== 'string') return false;
  const slice = sliceAt(purpose, nowMs);
  const slices = Array.from({ length: SLICES[purpose].accepted + 2 }, (_, place) => slice + 1 - place);
  return ring.all.some((key) => slices.some((each) => equalText(challengeOf(key, purpose, sid, each), text)));
}

function sliceAt(purpose: ChallengePurpose, nowMs: number): number {
  return Math.floor(nowMs / SLICES[purpose].ms);
}

function challengeOf(key: RingKey, purpose: ChallengePurpose, sid: string, slice: number): string {
  const derived = key.derive('tollgate binding challenge');
  return keyedHash(derived, purpose, sid, String(slice)).toString('base64url');
}

/** A header with valid signature, method and address. Its nonce is not verified yet. */
interface RefreshProof extends BindingKey {
  /** The proof's own id, for the log: browsers repeat requests, so it is not stored. */
  readonly id: string;
  readonly nonce: unknown;
}

/** The longest accepted header, in characters. */
export const MAX_PROOF_CHARACTERS = 2048;

const PROOF_TYPE = 'refresh-proof+jwt';
const ID = /^[A-Za-z0-9_-]{16,64}$/;

/**
 * Parses the header. Its time is ignored, because clients' clocks are wrong by minutes.
 * @param address the external address of the route, without a query
 */
export function readRefreshProof(text: unknown, address: string): RefreshProof | undefined {
  if (typeof text !== 'string' || text.length > MAX_PROOF_CHARACTERS) return undefined;
  const jws = readCompactJws(text);
  if (jws === undefined || jws.header.typ !== PROOF_TYPE) return undefined;
  const key = readDeviceKey(jws.header.jwk);
  if (key?.algorithm !== 'ES256') return undefined;
  const { htm, htu, iat, jti, nonce } = jws.payload;
  const isMeant = htm === 'POST' && htu === address && Number.isInteger(iat);
  if (!isMeant || typeof jti !== 'string' || !ID.test(jti) || !jws.isSignedBy(key)) return undefined;
  return { thumbprint: key.thumbprint, compact: key.compact, id: jti, nonce };
}

/** The name of the cookie for a browser that has signed with its session's key. */
export function boundCookieName(prefix: CookiePrefix): string {
  return `${prefix ?? ''}refreshBinding`;
}

/** The content of the cookie. */
interface BoundCookie {
  readonly sid: string;
  /** Of the session's key. */
  readonly thumbprint: string;
  /** Whole seconds since 1970. A thief ignores `Max-Age`, so the value has its own expiry. */
  readonly expiresAt: number;
}

const VERSION = '1';

/**
 * Encodes the cookie: version, key id, session, thumbprint, expiry and MAC, separated by dots.
 * @param ring the keys of `REFRESH_SECRET`; the first one makes
 */
export function formatBoundCookie(ring: KeyRing, { sid, thumbprint, expiresAt }: BoundCookie): string {
  const text = [VERSION, ring.current.id, sid, thumbprint, expiresAt].join('.');
  return `${text}.${macOf(ring.current, text)}`;
}

/**
 * The thumbprint that a request's cookies prove for a session; undefined if none of them does.
 * @param values values of the cookies of this name
 */
export function boundThumbprint(
  ring: KeyRing,
  values: readonly string[],
  sid: string,
  nowMs: number,
): string | undefined {
  const valid = values.map((value) => read(ring, value));
  return valid.find((cookie) => cookie?.sid === sid && cookie.expiresAt * 1000 > nowMs)?.thumbprint;
}

function read(ring: KeyRing, value: string): BoundCookie | undefined {
  const parts = value.split('.');
  const [version, id = '', sid = '', thumbprint = '', expiresAt, mac = ''] = parts;
  const key = ring.find(id);
  if (parts.length !== 6 || version !== VERSION || key === undefined) return undefined;
  if (!equalText(macOf(key, parts.slice(0, 5).join('.')), mac)) return undefined;
  return { sid, thumbprint, expiresAt: Number(expiresAt) };
}

function macOf(key: RingKey, text: string): string {
  return keyedHash(key.derive('tollgate bound cookie'), text).toString('base64url');
}

/** The longest accepted JWS, in characters: one with an RSA key of 4,096 bits has some 2,300. */
const MAX_JWT_CHARACTERS = 4096;

const BROWSER_TYPE = 'dbsc+jwt';

/** The external addresses and the cookie of the service, as browsers see them. */
export interface BrowserSessionOptions {
  /** Scheme, host and port of `PUBLIC_URL`. */
  readonly origin: string;
  /** The path of `PUBLIC_URL`, without a trailing slash. */
  readonly basePath: string;
  readonly cookie: string;
  /** The cookie's attributes as in `Set-Cookie`, without its lifetime. */
  readonly attributes: string;
  /** Host of pages on another origin, if there are any. */
  readonly initiator: string | undefined;
}

/** The body that makes a browser start or continue its session. */
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

/** The header that requests a signature. */
export function challengeHeader(challenge: string, sid: string): string {
  return `"${challenge}";id="${sid}"`;
}

/** The value of a structured header: bare, as browsers send it, or quoted, as in the draft; parameters are dropped. */
export function headerText(value: string | readonly string[] | undefined): string {
  if (typeof value !== 'string') return '';
  // White space at one place only: with two, a header of only white space would take quadratic time.
  const [, quoted, bare] = /^(?:"([^"\\]*)"|([^";\s]*)) *(?:;.*)?$/s.exec(value) ?? [];
  return quoted ?? bare ?? '';
}

/** Parses the JWS of a registration or a renewal; undefined if it is malformed. */
export function readBrowserJwt(text: string): CompactJws | undefined {
  const jws = text.length > MAX_JWT_CHARACTERS ? undefined : readCompactJws(text);
  return jws?.header.typ === BROWSER_TYPE ? jws : undefined;
}

/** The key of a registration, which has signed it; undefined if there is none, or the signature is wrong. */
export function registeredKey(jws: CompactJws): DeviceKey | undefined {
  const key = readDeviceKey(jws.header.jwk);
  return key !== undefined && jws.isSignedBy(key) ? key : undefined;
}
