// Issues and reads access tokens in the format `public`: JWTs after RFC 9068 that anybody can verify and nobody can forge.

import { createHash } from 'node:crypto';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { createSigner, createVerifier } from 'fast-jwt';
import { canonicalText } from '../../crypto/envelope.js';
import { jwksOf, type PublicKey } from '../../crypto/public-keys.js';
import { randomAlphanumerics } from '../../crypto/random.js';
import type { SigningKey } from '../../crypto/signing-keys.js';
import { AccessClaims, PublicClaims, type TokenReading } from '../../schemas/token-claims.js';
import { CACHED_TOKENS, CLOCK_TOLERANCE_MS, cacheTokens, endsAtMs, isFromFuture } from './token-codec.js';

/** Issuer and audiences of the tokens. */
export interface PublicTokenNames {
  /** The `iss` of each token. */
  readonly issuer: string;
  /** The `aud` of issued tokens; a token for any of them is accepted. */
  readonly audiences: readonly string[];
  /** The `typ` of the header; that of access tokens by default. */
  readonly type?: 'at+jwt' | 'page+jwt' | undefined;
}

/** Reads access tokens under changing keys. */
interface PublicTokenReader {
  /**
   * Verifies a token, in any spelling that `canonicalText` reads. Never throws. A valid one is cached as long as its key is
   * known.
   */
  read(token: string): TokenReading<AccessClaims>;
  /** Returns whether a token names an unknown key, in a header like ours. */
  namesUnknownKey(token: string): boolean;
}

/** How long caches may keep the published keys, in seconds. */
export const JWKS_MAX_AGE_SECONDS = 300;

/** The published keys as sent, and their entity tag (RFC 9110, 8.8.3). */
export interface PublishedKeys {
  readonly body: string;
  readonly etag: string;
}

/** Returns the published form of these keys. */
export function publishKeys(keys: readonly PublicKey[]): PublishedKeys {
  const body = JSON.stringify(jwksOf(keys));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

type Reading = TokenReading<AccessClaims>;

const ACCESS_TYPE = 'at+jwt';
const JTI_CHARACTERS = 22;
const INVALID: Reading = { ok: false, reason: 'invalid' };

/**
 * The exact header of issued tokens. Comparing it as a string rejects `crit`, keys inside the token and every other member.
 */
const HEADER = /^\{"alg":"(?:EdDSA|ES256)","typ":"((?:at|page)\+jwt)","kid":"([A-Za-z0-9_-]{1,64})"\}$/;

/** A signature of either algorithm is 64 bytes: only two bits of the last of its 86 characters are significant. */
const SIGNATURE = /\.[A-Za-z0-9_-]{85}[AQgw]$/;

/** Returns the function that issues tokens with this key. */
export function createPublicIssuer(
  { id, algorithm, privateKey }: SigningKey,
  { issuer, audiences, type = ACCESS_TYPE, clientId }: PublicTokenNames & { readonly clientId: string },
): (claims: AccessClaims) => string {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const sign = createSigner({ key, algorithm, kid: id, header: { alg: algorithm, typ: type } });
  const aud = audiences.length === 1 ? audiences[0] : audiences;
  return (claims) =>
    sign({
      ...claims,
      iss: issuer,
      aud,
      sub: String(claims.id),
      client_id: clientId,
      jti: randomAlphanumerics(JTI_CHARACTERS),
    });
}

/**
 * Creates the reader.
 * @param keys returns the current keys: the same array until they change
 * @param clock returns milliseconds since 1970; the time of this node by default
 */
export function createPublicReader(
  keys: () => readonly PublicKey[],
  names: PublicTokenNames,
  clock: () => number = () => Date.now(),
): PublicTokenReader {
  const { type = ACCESS_TYPE } = names;
  let known: readonly PublicKey[] = [];
  let readers: ReadonlyMap<string, { readonly key: PublicKey; read(token: string): Reading }> = new Map();
  const takeKeys = () => {
    const current = keys();
    if (current === known) return;
    known = current;
    readers = new Map(
      current.map((key) => {
        const head = headOf(key, type);
        const kept = readers.get(head);
        // The same id may come with another key.
        if (kept?.key.key.equals(key.key)) return [head, kept];
        const read = cacheTokens(createReader(key, names, clock), CACHED_TOKENS, endsAtMs, clock);
        return [head, { key, read }];
      }),
    );
  };
  return {
    read(text) {
      const token = canonicalText(text);
      takeKeys();
      return readers.get(headIn(token))?.read(token) ?? INVALID;
    },
    namesUnknownKey(text) {
      const head = headIn(canonicalText(text));
      const [, typ, id] = HEADER.exec(Buffer.from(head, 'base64url').toString('latin1')) ?? [];
      return typ === type && !known.some((key) => key.id === id);
    },
  };
}

function headIn(token: string): string {
  return token.slice(0, Math.max(0, token.indexOf('.')));
}

function headOf({ id, algorithm }: PublicKey, type: string): string {
  return Buffer.from(JSON.stringify({ alg: algorithm, typ: type, kid: id })).toString('base64url');
}

function createReader(
  { algorithm, key }: PublicKey,
  { issuer, audiences, type = ACCESS_TYPE }: PublicTokenNames,
  clock: () => number,
): (token: string) => Reading {
  const verify = createVerifier({
    key: key.export({ type: 'spki', format: 'pem' }) as string,
    algorithms: [algorithm],
    checkTyp: type,
    clockTolerance: CLOCK_TOLERANCE_MS,
    allowedIss: issuer,
    allowedAud: [...audiences],
    requiredClaims: Object.keys(PublicClaims.properties),
  });
  const isPublic = TypeCompiler.Compile(PublicClaims);
  const isAccess = TypeCompiler.Compile(AccessClaims);
  return (token) => {
    if (!SIGNATURE.test(token)) return INVALID;
    try {
      const payload: unknown = verify(token);
      if (!isPublic.Check(payload) || !isAccess.Check(payload)) return INVALID;
      const {
        iss: _iss,
        aud: _aud,
        sub,
        client_id: _client,
        jti: _jti,
        ...claims
      } = payload as AccessClaims & PublicClaims;
      return sub === String(claims.id) && !isFromFuture(claims, clock()) ? { ok: true, claims } : INVALID;
    } catch (error) {
      const expired = (error as { code?: unknown }).code === 'FAST_JWT_EXPIRED';
      return { ok: false, reason: expired ? 'expired' : 'invalid' };
    }
  };
}
