// Valid tokens under every key, and their parts: the input of the mutations.

import { createSecretKey } from 'node:crypto';
import { createKeyedEnvelope, type TokenKind } from '../../../src/crypto/envelope.js';
import { openKeyRing, type RingKey } from '../../../src/crypto/key-ring.js';
import { type Signing, signText } from './token-mutants.js';

// Seconds since 1970, so that no result depends on the time of the run.
const YEAR_2020 = 1_577_836_800;
const YEAR_2100 = 4_102_444_800;

export const KINDS: readonly TokenKind[] = ['access', 'refresh'];

/** Secrets of both kinds, two each. */
export const RINGS = {
  access: openKeyRing(`${'access secret one '.repeat(2)},${'access secret two '.repeat(2)}`),
  refresh: openKeyRing(`${'refresh secret one '.repeat(2)},${'refresh secret two '.repeat(2)}`),
};
/** Two encryption keys. */
export const ENCRYPTION = openKeyRing(
  `${'encryption key one '.repeat(2)},${'encryption key two '.repeat(2)}`,
);
const UNKNOWN = createSecretKey(Buffer.from('a secret that nobody has told us'));

/** A codec's result for a token. */
export type Answer = 'ok' | 'invalid' | 'expired';

/** A token that is valid, or was until it expired. */
export interface Issued {
  readonly kind: TokenKind;
  readonly text: string;
  readonly bytes: Buffer;
  readonly answer: Answer;
}

/** Issues valid tokens of both kinds, of several lengths, under every key of every ring; some have expired. */
export function issueTokens(): Issued[] {
  return KINDS.flatMap((kind) =>
    ENCRYPTION.all.flatMap((encryptionKey) =>
      RINGS[kind].all.flatMap((key) =>
        (key === RINGS[kind].current && encryptionKey === ENCRYPTION.current
          ? [0, 1, 2, 9, 200]
          : [0, 1, 2, 9, 20]
        ).map((number): Issued => {
          const answer = number === 2 ? 'expired' : 'ok';
          const { header, secret } = signingOf(kind, key, number);
          const claims = claimsOf(kind, number, answer === 'ok' ? YEAR_2100 : YEAR_2020 + 900);
          const envelope = createKeyedEnvelope(kind, [
            { id: encryptionKey.id, key: encryptionKey.derive(`tollgate ${kind} token`) },
          ]);
          const text = envelope.seal(
            signText(JSON.stringify(header), JSON.stringify(claims), secret),
            nonceOf(number),
          );
          return { kind, text, bytes: Buffer.from(decodeURIComponent(text), 'base64'), answer };
        }),
      ),
    ),
  );
}

function claimsOf(kind: TokenKind, number: number, exp = YEAR_2100) {
  const common = {
    email: `user${number}@example.com${'.example'.repeat(number)}`,
    sid: String(number).padStart(22, 'Sid'),
    gen: 1 + number,
    iat: YEAR_2020,
    exp,
  };
  return kind === 'access' ? { id: 1 + number, ...common } : { sub: String(1 + number), ...common };
}

/** Not random, so that the same seed gives the same tokens. */
export function nonceOf(number: number): Buffer {
  return Buffer.alloc(12, String(number));
}

export function otherKind(kind: TokenKind): TokenKind {
  return kind === 'access' ? 'refresh' : 'access';
}

/** Returns the right signing key of this kind of token, and wrong ones. */
export function signingOf(kind: TokenKind, key: RingKey, number: number): Signing {
  const other = otherKind(kind);
  return {
    header: { alg: 'HS256', typ: 'JWT', kid: key.id },
    claims: claimsOf(kind, number),
    secret: key.secret,
    otherSecrets: [
      UNKNOWN,
      ...[...RINGS[kind].all, ...RINGS[other].all]
        .filter((ringKey) => ringKey !== key)
        .map(({ secret }) => secret),
    ],
    otherClaims: claimsOf(other, number),
    otherKeyIds: [...RINGS[kind].all, ...RINGS[other].all]
      .filter((ringKey) => ringKey !== key)
      .map(({ id }) => id),
  };
}
