// The bearer guard of an application: verifies the access tokens of the session service on its own.

import { Type } from '@sinclair/typebox';
import { checkStores } from '@tollgate/shared/config/checks.js';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { checkSecrets } from '@tollgate/shared/config/secrets.js';
import { SecretVariables, StoreVariables } from '@tollgate/shared/config/variables.js';
import { importAccessKeys } from '@tollgate/shared/crypto/access-keys.js';
import { createKeyedEnvelope } from '@tollgate/shared/crypto/envelope.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import answerLimit from '@tollgate/shared/http/server/answer-limit.js';
import bearer from '@tollgate/shared/http/tokens/bearer.js';
import { openTokenCodec, type TokenCodec } from '@tollgate/shared/http/tokens/token-codec.js';
import { reportKeys } from '@tollgate/shared/keys/key-report.js';
import { ConfigurationError } from '@tollgate/shared/schemas/configuration-error.js';
import { AccessClaims } from '@tollgate/shared/schemas/token-claims.js';
import { openAccessLifetimes } from '@tollgate/shared/sessions/access-lifetimes.js';
import { openRevocationLog } from '@tollgate/shared/sessions/open-revocation-log.js';
import { createProofOfUse, openProofStore } from '@tollgate/shared/sessions/proof-of-use.js';
import { followRevocations, type RevocationFollower } from '@tollgate/shared/sessions/revocation-follower.js';
import { openConfiguredStore, waitForStore } from '@tollgate/shared/store/open-store.js';
import { watchStore } from '@tollgate/shared/store/watch/store-watch.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** The options of the plugin. */
export interface BearerGuardOptions {
  /**
   * Variables, usually `process.env`:
   * - `ACCESS_SECRET`, the same as in the session service.
   * - `ACCESS_KEYS`, the output of its command `keys export-access`. `ENCRYPTION_KEY` would open refresh tokens too.
   * - `STORE_URL`, the store of the sessions, optional. With it ended sessions are refused within a second, and a token
   *   verified here counts as used, so that the refresh token before it is refused as stolen. Without it ended sessions
   *   are refused once their access tokens expire, and the session service does not see the uses here.
   * - `ACCESS_TTL`, the lifetime of access tokens in seconds, 900 by default. A token with a longer lifetime is refused,
   *   unless a node of the session service has reported to the store that it issues such tokens.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder that a relative path in `file:` starts from; the working directory by default. */
  readonly root?: string;
}

const CONNECT_MS = 2000;

const BearerEnvironment = Type.Object({
  ACCESS_SECRET: SecretVariables.ACCESS_SECRET,
  ACCESS_KEYS: Type.String({
    description: 'Opens access tokens: what the command `keys export-access` prints',
    secret: true,
    expected: 'what the command keys export-access prints',
  }),
  STORE_URL: StoreVariables.STORE_URL,
  ACCESS_TTL: Type.Integer({
    default: 900,
    minimum: 1,
    maximum: 31_536_000,
    description: 'Seconds that an access token lives',
  }),
});

async function bearerGuard(
  app: FastifyInstance,
  { environment, root = '.' }: BearerGuardOptions,
): Promise<void> {
  const values = readEnvironment(BearerEnvironment, environment, (found) => [
    ...checkSecrets({ ACCESS_SECRET: found.ACCESS_SECRET }),
    ...(found.STORE_URL === undefined ? [] : checkStores(found, ['STORE_URL'])),
  ]);
  const secrets = openKeyRing(values.ACCESS_SECRET);
  const keys = readAccessKeys(values.ACCESS_KEYS);
  let tokens: TokenCodec<AccessClaims> | undefined;
  // In a scope of its own, so that the application can register @fastify/jwt for itself.
  await app.register(async (scope) => {
    const envelope = createKeyedEnvelope('access', keys);
    tokens = await openTokenCodec(scope, { kind: 'access', claims: AccessClaims, secrets, envelope });
  });
  if (tokens === undefined) throw new TypeError('the scope of the tokens did not load');

  let revocations: RevocationFollower | undefined;
  let onVerified: ((claims: AccessClaims) => void) | undefined;
  const store =
    values.STORE_URL === undefined ? undefined : openConfiguredStore('STORE_URL', values.STORE_URL, root);
  if (store !== undefined) {
    const storeWatch = watchStore(store, { variable: 'STORE_URL', holds: ['sessions'], log: app.log });
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
      await storeWatch.stop();
      await store.close();
    });
    // The store refuses commands until it is connected; an unreachable store does not keep the application from starting.
    await waitForStore(store, CONNECT_MS);
    revocations = follower;
    onVerified = createProofOfUse(openProofStore(store));
  }
  await app.register(answerLimit);
  await app.register(bearer, {
    tokens,
    revocations,
    lifetimes: openAccessLifetimes(values.ACCESS_TTL, store),
    ...(onVerified && { onVerified }),
  });
}

function readAccessKeys(text: string) {
  try {
    return importAccessKeys(text.trim());
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`ACCESS_KEYS ${error.message}`]);
    throw error;
  }
}

/**
 * Verifies the access tokens of the session service in any Fastify application. Decorates the server with
 * `requireBearer`, an `onRequest` hook that sets `request.bearer` to the claims of the token or answers 401
 * (`token_invalid`, `session_revoked`; `bearer({ maxAuthAge })` is that hook with a demand), and with `verifyAccess`, which returns a verdict. Opens the store of `STORE_URL`
 * and closes it with the server.
 * @throws ConfigurationError with a line for each mistake in the variables
 */
export default fp(bearerGuard, { name: 'tollgate-bearer-guard', fastify: '5.x' });
