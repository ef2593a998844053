// Verifies page cookies in the format `public` with the published keys.

import type { PageUser, Verify } from './page-user.js';
import { type CallOptions, callService, SessionUnavailableError } from './service-call.js';

/** How far the clock of session-service may differ, in seconds. */
const TOLERANCE_SECONDS = 5;
/** Keys are fetched again after this time. */
const FRESH_MS = 300_000;
/** If that fails, they are used for this time. */
const LONGEST_MS = 3_600_000;
/** For an unknown key, and after a failure, keys are fetched at most this often. */
const PAUSE_MS = 30_000;
/** Without usable keys, none are fetched for this time after a failure. */
const RETRY_MS = 1_000;

const ALGORITHMS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
} as const;

/** The keys by their id and algorithm. */
type Keys = ReadonlyMap<string, CryptoKey>;

export function verifyByKeys(service: string, issuer: string, options: CallOptions): Verify {
  const url = `${service}/verify/page/jwks.json`;
  let keys: Keys = new Map();
  let keysAtMs = Number.NEGATIVE_INFINITY;
  let dueAtMs = keysAtMs;
  let failure: { readonly atMs: number; readonly error: unknown } | undefined;

  /** Each request that needs keys fetches them itself: at the edge, none may wait for the fetch of another. */
  async function fetchKeys(): Promise<void> {
    const nowMs = Date.now();
    // Other requests meanwhile use the keys at hand, if they are not too old.
    dueAtMs = nowMs + PAUSE_MS;
    try {
      const { status, text } = await callService(url, {}, options);
      if (status !== 200) throw new SessionUnavailableError(`${url}: status ${status}`);
      keys = await readKeys(text, url);
      keysAtMs = nowMs;
    } catch (error) {
      failure = { atMs: Date.now(), error };
      if (nowMs - keysAtMs > LONGEST_MS) throw error;
    }
  }

  async function keyOf(id: string): Promise<CryptoKey | undefined> {
    const nowMs = Date.now();
    const ageMs = nowMs - keysAtMs;
    const isOld = ageMs > FRESH_MS || !keys.has(id);
    if (ageMs > LONGEST_MS && failure !== undefined && nowMs - failure.atMs < RETRY_MS) throw failure.error;
    if (ageMs > LONGEST_MS || (isOld && nowMs >= dueAtMs)) await fetchKeys();
    return keys.get(id);
  }

  async function read(token: string): Promise<PageUser | null> {
    const [head = '', body = '', signature = '', ...more] = token.split('.');
    const { alg, typ, kid, ...others } = parse(head);
    // `crit`, keys inside the token and every other member are rejected.
    if (typ !== 'page+jwt' || more.length > 0 || Object.keys(others).length > 0) return null;
    const algorithm = Object.hasOwn(ALGORITHMS, String(alg)) && ALGORITHMS[alg as keyof typeof ALGORITHMS];
    const bytes = decode(signature);
    if (!algorithm || bytes?.length !== 64) return null;
    const key = await keyOf(`${alg} ${kid}`);
    const signed = new TextEncoder().encode(`${head}.${body}`);
    if (!key || !(await crypto.subtle.verify(algorithm, key, bytes, signed))) return null;
    const { iss, aud, sub, email, sid, iat, exp, amr, auth_time, claims } = parse(body);
    const now = Date.now() / 1000;
    const isCurrent = Number(iat) <= now + TOLERANCE_SECONDS && now < Number(exp) + TOLERANCE_SECONDS;
    const isOwn = trimmed(String(iss)) === trimmed(issuer) && aud === `${iss}#page`;
    if (!isOwn || typeof sub !== 'string' || !isCurrent) return null;
    return {
      id: sub,
      email: String(email),
      sessionId: String(sid),
      authTime: auth_time as number | undefined,
      amr: amr as string[] | undefined,
      claims: claims as PageUser['claims'],
    };
  }

  return async (values) => {
    for (const value of values) {
      const user = await read(value);
      if (user !== null) return user;
    }
    return null;
  };
}

/** An address as configured may end with a slash. */
const trimmed = (text: string) => text.replace(/\/+$/, '');

async function readKeys(text: string, url: string): Promise<Keys> {
  const found = new Map<string, CryptoKey>();
  const { keys } = parseText(text);
  if (!Array.isArray(keys)) throw new SessionUnavailableError(`${url}: no key set`);
  for (const { kty, crv, x, y, kid, alg } of keys.map(Object) as (JsonWebKey & { kid?: string })[]) {
    const algorithm = ALGORITHMS[alg as keyof typeof ALGORITHMS];
    try {
      const key = await crypto.subtle.importKey(
        'jwk',
        { kty, crv, x, ...(y && { y }) } as JsonWebKey,
        algorithm,
        false,
        ['verify'],
      );
      found.set(`${alg} ${kid}`, key);
    } catch {
      // A key of an algorithm that this runtime does not know.
    }
  }
  return found;
}

/** Returns the bytes of Base64url; undefined if it is malformed. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Returns the members of a part of a token; none if it is malformed. */
function parse(part: string): Record<string, unknown> {
  return parseText(new TextDecoder().decode(decode(part)));
}

function parseText(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
