// Bearer guard for applications: verifies access tokens without a request to the session service.

import { canonicalText, createKeyedEnvelope, openKeyRing } from '@tollgate/shared/crypto';
import { AccessClaims } from '@tollgate/shared/schemas';
import {
  createProofOfUse,
  followRevocations,
  openAccessLifetimes,
  openProofStore,
  openRevocationLog,
  type RevocationFollower,
} from '@tollgate/shared/sessions';
import {
  openConfiguredStore,
  reportKeys,
  storeFileMissing,
  waitForStore,
  watchStore,
} from '@tollgate/shared/store';
import {
  type BearerOptions,
  bearerPlugin as bearer,
  createPublicReader,
  openTokenCodec,
  type TokenCodec,
} from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type BearerKeys, readBearerEnvironment } from './bearer-environment.js';
import { pluginLog } from './plugin-log.js';
import { followRemoteKeys } from './remote-keys.js';

/** Plugin options. */
export interface BearerGuardOptions {
  /**
   * Variables, usually `process.env`:
   * - For sealed tokens: `ACCESS_SECRET`, the same as in the session service, and `ACCESS_KEYS`, the output of its command
   *   `keys export-access`. `ENCRYPTION_KEY` would decrypt refresh tokens too.
   * - For public tokens: `ACCESS_JWKS_URL`, the URL of the public keys, or `ACCESS_PUBLIC_KEYS`, the output of the command
   *   `keys export-public`; and `ACCESS_TOKEN_ISSUER` and `ACCESS_TOKEN_AUDIENCE`, as in the tokens. None of these is a
   *   secret. With the variables of both formats, tokens of both are accepted.
   * - `STORE_URL`, the session store, optional. With it ended sessions are rejected within a second, and a token verified
   *   here counts as used, so that the previous refresh token is rejected as stolen. Without it ended sessions are rejected
   *   once their access tokens expire, and the session service does not see uses here.
   * - `ACCESS_TTL`, the access token lifetime in seconds, 900 by default. A token with a longer lifetime is rejected, unless
   *   a node of the session service has reported in the store that it issues such tokens.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Base folder of relative paths in `file:`; the working directory by default. */
  readonly root?: string;
}

const CONNECT_MS = 2000;

type TokenReader = BearerOptions['tokens'];

async function bearerGuard(
  app: FastifyInstance,
  { environment, root = '.' }: BearerGuardOptions,
): Promise<void> {
  const log = pluginLog(app);
  const keys = readBearerEnvironment(environment);
  const { values } = keys;
  const sealed = keys.sealed && (await openSealed(app, keys.sealed));
  const open = keys.open && (await openPublic(app, keys.open));
  const tokens: TokenReader = {
    read(text) {
      const token = canonicalText(text);
      // Only a public token has dots.
      return (token.includes('.') ? open : sealed)?.read(token) ?? { ok: false, reason: 'invalid' };
    },
  };

  let revocations: RevocationFollower | undefined;
  let onVerified: ((claims: AccessClaims) => void) | undefined;
  if (values.STORE_URL !== undefined && storeFileMissing(values.STORE_URL, root)) {
    const message = 'STORE_URL names a missing file, which is created: is it the store of session-service?';
    log.warn({ store: values.STORE_URL }, message);
  }
  const store =
    values.STORE_URL === undefined ? undefined : openConfiguredStore('STORE_URL', values.STORE_URL, root);
  if (store !== undefined) {
    const storeWatch = watchStore(store, { variable: 'STORE_URL', holds: ['sessions'], log });
    const follower = followRevocations(openRevocationLog(store), log);
    const report = reportKeys(store, { makes: false, ids: idsOf(keys) }, log);
    app.addHook('onClose', async () => {
      await follower.stop();
      await report.stop();
      await storeWatch.stop();
      await store.close();
    });
    // The store rejects commands until it is connected; the application starts without a reachable store.
    await waitForStore(store, CONNECT_MS);
    revocations = follower;
    onVerified = createProofOfUse(openProofStore(store));
  }
  await app.register(bearer, {
    tokens,
    revocations,
    lifetimes: openAccessLifetimes(values.ACCESS_TTL, store),
    ...(onVerified && { onVerified }),
  });
}

/** In a separate scope, so that the application can register @fastify/jwt itself. */
async function openSealed(
  app: FastifyInstance,
  { secret, keys }: NonNullable<BearerKeys['sealed']>,
): Promise<TokenReader> {
  let codec: TokenCodec<AccessClaims> | undefined;
  await app.register(async (scope) => {
    const envelope = createKeyedEnvelope('access', keys);
    const secrets = openKeyRing(secret);
    codec = await openTokenCodec(scope, { kind: 'access', claims: AccessClaims, secrets, envelope });
  });
  if (codec === undefined) throw new TypeError('the token scope did not load');
  return codec;
}

async function openPublic(
  app: FastifyInstance,
  { keys, ...names }: NonNullable<BearerKeys['open']>,
): Promise<TokenReader> {
  if (typeof keys !== 'string') return createPublicReader(() => keys, names);
  const remote = followRemoteKeys(keys, pluginLog(app));
  app.addHook('onClose', async () => remote.stop());
  // The application starts without a response from this URL.
  await remote.refresh();
  const reader = createPublicReader(remote.keys, names);
  return {
    read(token) {
      const reading = reader.read(token);
      if (reading.ok || !reader.namesUnknownKey(token)) return reading;
      return remote.refresh()?.then(() => reader.read(token)) ?? reading;
    },
  };
}

/** Returns the ids of the keys that do not change at run time. */
function idsOf({ sealed, open }: BearerKeys): Record<string, string[]> {
  const idsIn = (keys: readonly { readonly id: string }[]) => keys.map(({ id }) => id);
  return {
    ...(sealed && {
      ACCESS_SECRET: idsIn(openKeyRing(sealed.secret).all),
      ENCRYPTION_KEY: idsIn(sealed.keys),
    }),
    ...(open && typeof open.keys !== 'string' ? { ACCESS_SIGNING_KEYS: idsIn(open.keys) } : {}),
  };
}

/**
 * Verifies access tokens of the session service in any Fastify application. Decorates the server with `requireBearer`, an
 * `onRequest` hook that sets `request.bearer` to the token's claims or responds 401 (`token_invalid`, `session_revoked`),
 * and with `verifyAccess`, which returns a verdict. `bearer({ maxAuthAge })` is the hook with a maximum authentication age.
 * Opens the store of `STORE_URL` and closes it with the server.
 * @throws ConfigurationError with a line per mistake in the variables
 */
export default fp(bearerGuard, { name: 'tollgate-bearer-guard', fastify: '5.x' });
