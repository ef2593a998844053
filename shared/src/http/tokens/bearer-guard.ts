// Lets any Fastify service verify the session service's bearers by itself.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { importAccessKeys } from '../../crypto/access-keys.js';
import { createKeyedEnvelope } from '../../crypto/envelope.js';
import { openKeyRing } from '../../crypto/key-ring.js';
import { reportKeys } from '../../keys/key-report.js';
import { AccessClaims } from '../../schemas/token-claims.js';
import { openAccessLifetimes } from '../../sessions/access-lifetimes.js';
import { openRevocationLog } from '../../sessions/open-revocation-log.js';
import { createProofOfUse } from '../../sessions/proof-of-use.js';
import { openProofStore } from '../../sessions/proof-store.js';
import { followRevocations, type RevocationFollower } from '../../sessions/revocation-follower.js';
import type { Store } from '../../store/open-store.js';
import bearer from './bearer.js';
import { openTokenCodec, type TokenCodec } from './token-codec.js';

/** What a service needs to verify bearers. */
export interface BearerGuardOptions {
  /** `ACCESS_SECRET`, as the session service has it. */
  readonly accessSecret: string;
  /** What the session service's `keys export-access` prints. `ENCRYPTION_KEY` itself would open refresh tokens too. */
  readonly accessKeys: string;
  /**
   * The store of the session service, opened with `openStore` and closed by its owner: ended sessions are refused
   * within a second, and a token that is verified here counts as used, so that the refresh token before it is refused as
   * stolen. Without it ended sessions are refused when their access tokens expire, after `ACCESS_TTL` at most, and a use
   * that only this service sees is not known.
   */
  readonly store?: Store;
  /**
   * `ACCESS_TTL` of the session service, in seconds; 900 by default. A token with a longer life is refused, unless a node
   * of the session service has reported to `store` that it makes such.
   */
  readonly accessTtl?: number;
}

/** The default of `ACCESS_TTL`, in seconds. */
const ACCESS_TTL_SECONDS = 900;

/** @throws RangeError when `accessKeys` is not what the command prints */
async function bearerGuard(
  app: FastifyInstance,
  { accessSecret, accessKeys, store, accessTtl = ACCESS_TTL_SECONDS }: BearerGuardOptions,
): Promise<void> {
  const secrets = openKeyRing(accessSecret);
  const keys = importAccessKeys(accessKeys);
  let tokens: TokenCodec<AccessClaims> | undefined;
  // In a scope of its own, so that the host may have registered @fastify/jwt for itself.
  await app.register(async (scope) => {
    const envelope = createKeyedEnvelope('access', keys);
    tokens = await openTokenCodec(scope, { kind: 'access', claims: AccessClaims, secrets, envelope });
  });
  if (tokens === undefined) throw new TypeError('the scope of the tokens did not load');

  let revocations: RevocationFollower | undefined;
  let onVerified: ((claims: AccessClaims) => void) | undefined;
  if (store !== undefined) {
    const follower = followRevocations(openRevocationLog(store), app.log);
    const report = reportKeys(
      store,
      {
        makes: false,
        ids: { ACCESS_SECRET: secrets.all.map(({ id }) => id), ENCRYPTION_KEY: keys.map(({ id }) => id) },
      },
      app.log,
    );
    app.addHook('onClose', async () => {
      await follower.stop();
      await report.stop();
    });
    revocations = follower;
    onVerified = createProofOfUse(openProofStore(store));
  }
  await app.register(bearer, {
    tokens,
    revocations,
    lifetimes: openAccessLifetimes(accessTtl, store),
    ...(onVerified && { onVerified }),
  });
}

/**
 * Decorates the server with `requireBearer`, an `onRequest` hook that sets `request.bearer` or answers 401, and
 * with `verifyAccess`.
 */
export default fp(bearerGuard, { name: 'tollgate-bearer-guard', fastify: '5.x' });
