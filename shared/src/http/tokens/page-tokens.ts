// Issues and reads page tokens: the user of a session for pages that a server renders, and for nothing else.

import { TypeCompiler } from '@sinclair/typebox/compiler';
import { canonicalText, createEnvelope } from '../../crypto/envelope.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import { deriveSigningKeys, type SigningKeys } from '../../crypto/signing-keys.js';
import { AccessClaims, type TokenReading } from '../../schemas/token-claims.js';
import { createPublicIssuer, createPublicReader, type PublicTokenNames } from './public-tokens.js';
import {
  CACHED_TOKENS,
  cacheTokens,
  endsAtMs,
  isFromFuture,
  type OnIssued,
  type TokenCodec,
} from './token-codec.js';
import type { PublicTokens, TokenOptions } from './tokens.js';

/** Purpose of the derived signing keys. */
const PURPOSE = 'tollgate page token';

const INVALID = { ok: false, reason: 'invalid' } as const;

/** Page tokens, and the keys that verify those in the format `public`. */
export interface PageTokens extends TokenCodec<AccessClaims> {
  /** Undefined without signing keys. */
  readonly keys: SigningKeys | undefined;
}

/**
 * Opens the codec. A page token has the format of the access tokens, and keys of its own: an envelope of its own kind, or a
 * signing key derived for this purpose, with its own `typ` and audience. Neither token verifies as the other.
 */
export function openPageTokens({
  encryptionKeys,
  publicTokens,
  onIssued,
  clock = () => Date.now(),
}: TokenOptions): PageTokens {
  const sealed = openSealed(encryptionKeys, onIssued, clock);
  if (publicTokens === undefined) return { ...sealed, keys: undefined };
  const keys = deriveSigningKeys(publicTokens.keys, PURPOSE);
  const names = { ...pageTokenNames(publicTokens), clientId: publicTokens.clientId };
  const open = createPublicReader(() => keys.all, names, clock);
  const issuePublic = createPublicIssuer(keys.current, names);
  return {
    keys,
    issue(claims) {
      if (!publicTokens.issued) return sealed.issue(claims);
      onIssued?.('page', keys.current.id);
      return issuePublic(claims);
    },
    read(text) {
      const token = canonicalText(text);
      // A sealed token is Base64 and has no dot.
      return token.includes('.') ? open.read(token) : sealed.read(token);
    },
  };
}

/** The names in public page tokens. Verifiers of access tokens have neither this audience nor this type. */
function pageTokenNames({ issuer }: Pick<PublicTokens, 'issuer'>): PublicTokenNames {
  return { issuer, audiences: [`${issuer}#page`], type: 'page+jwt' };
}

const isClaims = TypeCompiler.Compile(AccessClaims);

function openSealed(
  ring: KeyRing,
  onIssued: OnIssued | undefined,
  clock: () => number,
): TokenCodec<AccessClaims> {
  const envelope = createEnvelope('page', ring);
  const read = (token: string): TokenReading<AccessClaims> => {
    const text = envelope.open(token);
    if (text === null) return INVALID;
    const claims: unknown = JSON.parse(text);
    if (!isClaims.Check(claims) || isFromFuture(claims, clock())) return INVALID;
    return clock() < endsAtMs(claims) ? { ok: true, claims } : { ok: false, reason: 'expired' };
  };
  const readCached = cacheTokens(read, CACHED_TOKENS, endsAtMs, clock);
  return {
    issue(claims) {
      onIssued?.('page', ring.current.id);
      return envelope.seal(JSON.stringify(claims));
    },
    read: (text) => readCached(canonicalText(text)),
  };
}
