// Signs and verifies tokens of one kind with @fastify/jwt inside their envelope, and caches verified ones.

import fastifyJwt, { type FastifyJWTOptions, type JWT } from '@fastify/jwt';
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { FastifyInstance } from 'fastify';
import { createLruCache } from '../../cache/bounded-maps.js';
import { canonicalText, type Envelope, type TokenKind } from '../../crypto/envelope.js';
import type { KeyRing, RingKey } from '../../crypto/key-ring.js';
import type { TokenReading } from '../../schemas/token-claims.js';

/** How far the clock of the issuing node may differ, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 5000;

/** Verified access tokens whose claims are cached. */
export const CACHED_TOKENS = 1000;

/** Issues and reads the tokens of one kind. */
export interface TokenCodec<Claims> {
  /** Returns the sealed token of these claims, percent-encoded for a header or a cookie. */
  issue(claims: Claims): string;
  /** Opens the envelope and verifies the token, in any spelling that `canonicalText` reads. Never throws. */
  read(token: string): TokenReading<Claims>;
}

/** Claims of every kind: `iat` and `exp`, in seconds since 1970. */
type ClaimsSchema = TSchema & { readonly static: { readonly iat: number; readonly exp: number } };

/** The kind of the tokens, the schema of their claims, and their keys. */
interface TokenCodecOptions<Schema extends ClaimsSchema> {
  readonly kind: TokenKind;
  readonly claims: Schema;
  readonly secrets: KeyRing;
  readonly envelope: Envelope;
  /** Called for each issued token. */
  readonly onIssued?: OnIssued | undefined;
  /** The key id for `onIssued`. */
  readonly keyId?: string;
  /** Returns milliseconds since 1970; the time of this node by default. */
  readonly clock?: (() => number) | undefined;
}

/** Counts an issued token. @param keyId the id of its encryption key, or of the signing key of a public token */
export type OnIssued = (kind: TokenKind | 'page', keyId: string) => void;

interface Signature {
  /** First segment of every token signed with this key, and its dot: only algorithm, type and key id. */
  readonly head: string;
  readonly jwt: JWT;
}

/**
 * Creates the codec. Registers @fastify/jwt with the server, once for each secret.
 * @throws RangeError without a secret
 */
export async function openTokenCodec<Schema extends ClaimsSchema>(
  app: FastifyInstance,
  options: TokenCodecOptions<Schema>,
): Promise<TokenCodec<Static<Schema>>> {
  const { kind, claims: schema, secrets, envelope, onIssued, keyId = '', clock = () => Date.now() } = options;
  const signatures = await createSignatures(app, kind, secrets);
  const validator = TypeCompiler.Compile(schema);
  const current = signatures[0]?.jwt;
  if (current === undefined) throw new RangeError('tokens need at least one secret');
  const issue = (claims: Static<Schema>) => {
    onIssued?.(kind, keyId);
    return envelope.seal(current.sign(claims as object));
  };
  const read = (token: string): TokenReading<Static<Schema>> => {
    const signed = envelope.open(token);
    if (signed === null) return { ok: false, reason: 'invalid' };
    // Comparing the whole header rejects every other algorithm, `crit`, and an unknown or missing key id at once.
    const signature = signatures.find(({ head }) => signed.startsWith(head));
    if (signature === undefined) return { ok: false, reason: 'invalid' };
    try {
      const claims: unknown = signature.jwt.verify(signed);
      const isValid = validator.Check(claims) && !(kind === 'access' && isFromFuture(claims, clock()));
      return isValid ? { ok: true, claims } : { ok: false, reason: 'invalid' };
    } catch (error) {
      const expired = (error as { code?: unknown }).code === 'FAST_JWT_EXPIRED';
      return { ok: false, reason: expired ? 'expired' : 'invalid' };
    }
  };
  if (kind === 'refresh') return { issue, read };
  const readCached = cacheTokens(read, CACHED_TOKENS, endsAtMs, clock);
  // One entry for all spellings of a token.
  return { issue, read: (token) => readCached(canonicalText(token)) };
}

/** Returns the expiry of a valid token, in milliseconds since 1970. */
export function endsAtMs({ exp }: { readonly exp: number }): number {
  return exp * 1000 + CLOCK_TOLERANCE_MS;
}

/** Returns whether a token was issued later than the clock tolerance allows. */
export function isFromFuture({ iat }: { readonly iat: number }, nowMs: number): boolean {
  return iat * 1000 > nowMs + CLOCK_TOLERANCE_MS;
}

// One namespace per secret, created at start: @fastify/jwt builds a new signer for each call that has options.
async function createSignatures(app: FastifyInstance, kind: TokenKind, ring: KeyRing): Promise<Signature[]> {
  for (const key of ring.all) await app.register(fastifyJwt, jwtOptions(kind, key));
  const byNamespace = app.jwt as unknown as Record<string, JWT>;
  return ring.all.map((key) => {
    const header = JSON.stringify({ alg: 'HS256', typ: 'JWT', kid: key.id });
    const jwt = byNamespace[namespace(kind, key)];
    if (jwt === undefined) throw new TypeError('@fastify/jwt did not register its namespace');
    return { head: `${Buffer.from(header).toString('base64url')}.`, jwt };
  });
}

function jwtOptions(kind: TokenKind, key: RingKey): FastifyJWTOptions {
  return {
    namespace: namespace(kind, key),
    secret: key.secret.export(),
    sign: { algorithm: 'HS256', kid: key.id },
    verify: {
      algorithms: ['HS256'],
      clockTolerance: CLOCK_TOLERANCE_MS,
      requiredClaims: ['iat', 'exp'],
    },
  };
}

function namespace(kind: TokenKind, key: RingKey): string {
  return `${kind}_${key.id}`;
}

type Read<Claims> = (token: string) => TokenReading<Claims>;

/**
 * Returns a reader that calls `read` once for each valid token in use, so that a bearer's next request costs no
 * cryptography. The key is the whole canonical text, so a cache hit proves possession of the token. Rejected tokens are not
 * cached, so that a flood of them displaces nothing.
 *
 * @param size number of tokens that stay cached; twice as many may be held
 * @param endsAtMs expiry of a valid reading, in milliseconds since 1970
 * @param clock returns milliseconds since 1970
 */
export function cacheTokens<Claims>(
  read: Read<Claims>,
  size: number,
  endsAtMs: (claims: Readonly<Claims>) => number,
  clock: () => number,
): Read<Claims> {
  const readings = createLruCache<TokenReading<Claims> & { readonly ok: true }>(size);
  return (token) => {
    const cached = readings.get(token);
    if (cached !== undefined && clock() < endsAtMs(cached.claims)) return cached;
    const reading = read(token);
    if (reading.ok) readings.set(token, reading);
    return reading;
  };
}
