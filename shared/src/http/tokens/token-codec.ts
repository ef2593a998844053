// Signs and verifies the tokens of one kind with @fastify/jwt, inside their envelope.

import fastifyJwt, { type FastifyJWTOptions, type JWT } from '@fastify/jwt';
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { FastifyInstance } from 'fastify';
import type { Envelope, TokenKind } from '../../crypto/envelope.js';
import type { KeyRing, RingKey } from '../../crypto/key-ring.js';
import type { TokenReading } from '../../schemas/token-claims.js';
import { cacheTokens } from './token-cache.js';

/** Tolerance towards the clock of the node that issued a token, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 5000;

/** Verified access tokens whose claims are remembered, so that a bearer's next request costs nothing. */
const REMEMBERED_TOKENS = 1000;

/** Issues and reads the tokens of one kind. */
export interface TokenCodec<Claims> {
  /** The sealed token of these claims, percent-encoded: ready for a header or a cookie. */
  issue(claims: Claims): string;
  /** Opens, then verifies. Never throws. */
  read(token: string): TokenReading<Claims>;
}

/** Claims of every kind: when the token was issued and when it expires, in seconds since 1970. */
type ClaimsSchema = TSchema & { readonly static: { readonly iat: number; readonly exp: number } };

/** What the tokens of one kind are made of. */
export interface TokenParts<Schema extends ClaimsSchema> {
  readonly kind: TokenKind;
  readonly claims: Schema;
  readonly secrets: KeyRing;
  readonly envelope: Envelope;
  /** Milliseconds since 1970; this node's own time when left out. */
  readonly clock?: (() => number) | undefined;
}

interface Signature {
  /** First segment of every token signed under this key: algorithm, type and key id, and nothing more. */
  readonly head: string;
  readonly jwt: JWT;
}

/** Makes the codec. Registers @fastify/jwt with the server, once for each secret. */
export async function openTokenCodec<Schema extends ClaimsSchema>(
  app: FastifyInstance,
  { kind, claims: schema, secrets, envelope, clock = () => Date.now() }: TokenParts<Schema>,
): Promise<TokenCodec<Static<Schema>>> {
  const known = await signatures(app, kind, secrets);
  const shape = TypeCompiler.Compile(schema);
  const current = known[0]?.jwt;
  if (current === undefined) throw new RangeError('tokens need at least one secret');
  const issue = (claims: Static<Schema>) => envelope.seal(current.sign(claims as object));
  const read = (token: string): TokenReading<Static<Schema>> => {
    const signed = envelope.open(token);
    if (signed === null) return { ok: false, reason: 'invalid' };
    // Comparing the whole header refuses every other algorithm, `crit`, and an unknown or missing key id at once.
    const head = signed.slice(0, signed.indexOf('.'));
    const signature = known.find((one) => one.head === head);
    if (signature === undefined) return { ok: false, reason: 'invalid' };
    try {
      const claims: unknown = signature.jwt.verify(signed);
      const isRight = shape.Check(claims) && !(kind === 'access' && isFromFuture(claims, clock()));
      return isRight ? { ok: true, claims } : { ok: false, reason: 'invalid' };
    } catch (error) {
      const expired = (error as { code?: unknown }).code === 'FAST_JWT_EXPIRED';
      return { ok: false, reason: expired ? 'expired' : 'invalid' };
    }
  };
  if (kind === 'refresh') return { issue, read };
  const endsAtMs = ({ exp }: { exp: number }) => exp * 1000 + CLOCK_TOLERANCE_MS;
  return { issue, read: cacheTokens(read, REMEMBERED_TOKENS, endsAtMs, clock) };
}

function isFromFuture({ iat }: { readonly iat: number }, nowMs: number): boolean {
  return iat * 1000 > nowMs + CLOCK_TOLERANCE_MS;
}

// A namespace per secret, made at start: options of a single call would make @fastify/jwt build a new signer.
async function signatures(app: FastifyInstance, kind: TokenKind, ring: KeyRing): Promise<Signature[]> {
  for (const key of ring.all) await app.register(fastifyJwt, signing(kind, key));
  const byNamespace = app.jwt as unknown as Record<string, JWT>;
  return ring.all.map((key) => {
    const header = JSON.stringify({ alg: 'HS256', typ: 'JWT', kid: key.id });
    const jwt = byNamespace[namespace(kind, key)];
    if (jwt === undefined) throw new TypeError('@fastify/jwt did not register its namespace');
    return { head: Buffer.from(header).toString('base64url'), jwt };
  });
}

function signing(kind: TokenKind, key: RingKey): FastifyJWTOptions {
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
