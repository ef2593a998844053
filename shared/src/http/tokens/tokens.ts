// Issues and reads the two tokens of the session service.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { createEnvelope, type TokenKind } from '../../crypto/envelope.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import { AccessClaims, RefreshClaims } from '../../schemas/token-claims.js';
import { openTokenCodec, type TokenCodec } from './token-codec.js';

/** The codecs of both kinds of token. */
export interface Tokens {
  readonly access: TokenCodec<AccessClaims>;
  readonly refresh: TokenCodec<RefreshClaims>;
}

/** The secrets of the tokens: each kind is signed with its own, and both are sealed with the encryption keys. */
export interface TokenOptions {
  readonly accessSecrets: KeyRing;
  readonly refreshSecrets: KeyRing;
  readonly encryptionKeys: KeyRing;
  /** Called for each issued token; `keyId` is the id of the key of `ENCRYPTION_KEY` that sealed it. */
  readonly onIssued?: (kind: TokenKind, keyId: string) => void;
  /** Returns milliseconds since 1970, to compare access tokens with; the time of this node by default. */
  readonly clock?: (() => number) | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    tokens: Tokens;
  }
}

async function tokens(app: FastifyInstance, options: TokenOptions): Promise<void> {
  const { encryptionKeys, onIssued = () => {} } = options;
  const counted = <Claims>(kind: TokenKind, codec: TokenCodec<Claims>): TokenCodec<Claims> => ({
    read: codec.read,
    issue(claims) {
      onIssued(kind, encryptionKeys.current.id);
      return codec.issue(claims);
    },
  });
  const access = await openTokenCodec(app, {
    kind: 'access',
    claims: AccessClaims,
    clock: options.clock,
    secrets: options.accessSecrets,
    envelope: createEnvelope('access', encryptionKeys),
  });
  const refresh = await openTokenCodec(app, {
    kind: 'refresh',
    claims: RefreshClaims,
    secrets: options.refreshSecrets,
    envelope: createEnvelope('refresh', encryptionKeys),
  });
  app.decorate('tokens', { access: counted('access', access), refresh: counted('refresh', refresh) });
}

/** Decorates the server with `tokens`. */
export default fp(tokens, { name: 'tollgate-tokens', fastify: '5.x' });
