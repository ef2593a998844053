// Issues and reads the two tokens of the session service.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { canonicalText, createEnvelope } from '../../crypto/envelope.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import type { SigningKeys } from '../../crypto/signing-keys.js';
import { AccessClaims, RefreshClaims, type TokenReading } from '../../schemas/token-claims.js';
import { createPublicIssuer, createPublicReader, type PublicTokenNames } from './public-tokens.js';
import { type OnIssued, openTokenCodec, type TokenCodec } from './token-codec.js';

/** The codecs of both kinds of token. */
export interface Tokens {
  readonly access: TokenCodec<AccessClaims>;
  readonly refresh: TokenCodec<RefreshClaims>;
}

/** Access tokens in the format `public`. */
export interface PublicTokens extends PublicTokenNames {
  readonly keys: SigningKeys;
  readonly clientId: string;
  /** Whether new access tokens have this format; otherwise they are only accepted. */
  readonly issued: boolean;
}

/** The keys of the tokens. Each kind of sealed token has its own signing secrets; the encryption keys are shared. */
export interface TokenOptions {
  /** Without it no sealed access token is issued or accepted; then `publicTokens` must issue them. */
  readonly accessSecrets?: KeyRing | undefined;
  readonly refreshSecrets: KeyRing;
  readonly encryptionKeys: KeyRing;
  readonly publicTokens?: PublicTokens | undefined;
  /**
   * Called for each issued token; `keyId` is the id of its encryption key in `ENCRYPTION_KEY`, or of its signing key in
   * `ACCESS_SIGNING_KEYS`.
   */
  readonly onIssued?: OnIssued;
  /** Returns milliseconds since 1970 for checks of access tokens; the time of this node by default. */
  readonly clock?: (() => number) | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    tokens: Tokens;
  }
}

async function tokens(app: FastifyInstance, options: TokenOptions): Promise<void> {
  const { encryptionKeys, onIssued } = options;
  const refresh = await openTokenCodec(app, {
    kind: 'refresh',
    claims: RefreshClaims,
    secrets: options.refreshSecrets,
    envelope: createEnvelope('refresh', encryptionKeys),
    onIssued,
    keyId: encryptionKeys.current.id,
  });
  app.decorate('tokens', { access: await openAccessTokens(app, options), refresh });
}

/** A sealed token is Base64 and has no dot, a public one has two. */
async function openAccessTokens(
  app: FastifyInstance,
  { accessSecrets, encryptionKeys, publicTokens, onIssued, clock }: TokenOptions,
): Promise<TokenCodec<AccessClaims>> {
  const sealed =
    accessSecrets &&
    (await openTokenCodec(app, {
      kind: 'access',
      claims: AccessClaims,
      clock,
      secrets: accessSecrets,
      envelope: createEnvelope('access', encryptionKeys),
      onIssued,
      keyId: encryptionKeys.current.id,
    }));
  if (publicTokens === undefined) {
    if (sealed === undefined) throw new RangeError('access tokens need secrets or signing keys');
    return sealed;
  }
  const { keys, issued } = publicTokens;
  const open = createPublicReader(() => keys.all, publicTokens, clock);
  const read = (text: string): TokenReading<AccessClaims> => {
    const token = canonicalText(text);
    return token.includes('.') ? open.read(token) : (sealed?.read(token) ?? { ok: false, reason: 'invalid' });
  };
  if (sealed !== undefined && !issued) return { issue: sealed.issue, read };
  const issuePublic = createPublicIssuer(keys.current, publicTokens);
  const issue = (claims: AccessClaims) => {
    onIssued?.('access', keys.current.id);
    return issuePublic(claims);
  };
  return { issue, read };
}

/** Decorates the server with `tokens`. */
export default fp(tokens, { name: 'tollgate-tokens', fastify: '5.x' });
