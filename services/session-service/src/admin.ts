// The admin application of the session service: health, metrics and, with an API key, routes for other services.

import { SESSION_APPLICATION } from '@tollgate/shared/config';
import { matcherOf } from '@tollgate/shared/crypto';
import { formBodies } from '@tollgate/shared/guard';
import { type AdminOptions, ApiKeyInvalid, buildAdminApp, metricsRoute, refuse } from '@tollgate/shared/http';
import { bearerPlugin as bearer, bearerToken, tokens } from '@tollgate/shared/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SessionDependencies } from './app.js';
import type { SessionConfig } from './config.js';
import { type PersonPlaces, personSettings } from './person/person-places.js';
import audit from './plugins/audit.js';
import sessionDependencies from './plugins/dependencies.js';
import createSignInCode from './routes/admin/create-sign-in-code.js';
import endUserSession from './routes/admin/end-user-session.js';
import endUserSessions from './routes/admin/end-user-sessions.js';
import erasePerson from './routes/admin/erase-person.js';
import exportPerson from './routes/admin/export-person.js';
import introspect from './routes/admin/introspect.js';
import listRevoked from './routes/admin/list-revoked.js';
import listUserSessions from './routes/admin/list-user-sessions.js';
import setPassword from './routes/admin/set-password.js';

/**
 * Builds the admin application on the same dependencies, ready to listen. Without `SESSION_API_KEY` it only has health and
 * metrics.
 */
export async function buildSessionAdmin(
  config: Pick<SessionConfig, 'values' | 'captcha' | 'origins'>,
  deps: SessionDependencies,
  health: Pick<AdminOptions, 'checks' | 'state' | 'dispensable'>,
): Promise<FastifyInstance> {
  const { PUBLIC_URL: publicUrl, SESSION_API_KEY: apiKey, ADMIN_BIND, SESSION_ADMIN_PORT } = config.values;
  const { ring, metrics, logger, proveUse, revocations, lifetimes, trail, accountEvents } = deps;
  const description = {
    title: 'Tollgate session service, administration',
    version: '1',
    description:
      "Introspects tokens, logs users in, sets passwords, ends sessions, exports and erases a person's data, for other services and for operators",
    serverUrl: `http://${ADMIN_BIND}:${SESSION_ADMIN_PORT}`,
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
  } as const;
  const observe = metrics.requests('admin');
  const isTestMode = config.captcha.test_mode;
  const app = await buildAdminApp({ logger, publicUrl, description, observe, isTestMode, ...health });
  await app.register(metricsRoute, { metrics: metrics.registry });
  if (apiKey === undefined) return app;

  await app.register(async (scope) => {
    scope.addHook(
      'onRequest',
      requireApiKey(apiKey, (request) => scope.audit.write(request, 'api_key_refused', {})),
    );
    await scope.register(sessionDependencies, deps);
    await scope.register(tokens, deps.tokenKeys);
    await scope.register(bearer, {
      tokens: scope.tokens.access,
      revocations,
      lifetimes,
      onVerified: proveUse,
    });
    await scope.register(audit, { ring, trail, accountEvents, host: SESSION_APPLICATION });
    await scope.register(listUserSessions);
    await scope.register(endUserSession);
    await scope.register(endUserSessions);
    await scope.register(setPassword);
    await scope.register(listRevoked);
    const places: PersonPlaces = {
      ...deps,
      stores: deps.redis,
      revoke: deps.revoker.revoke,
      settings: personSettings(config.values, config.captcha, deps.auditPath),
    };
    await scope.register(exportPerson, { places });
    await scope.register(erasePerson, { places, trail });
    await scope.register(createSignInCode, { origins: config.origins });
    await scope.register(async (forms) => {
      forms.removeAllContentTypeParsers();
      await forms.register(formBodies, { multipart: false });
      await forms.register(introspect);
    });
  });
  return app;
}

/**
 * Returns an `onRequest` hook that rejects a request without the key as its bearer token, before its body is parsed.
 * @param onRefused called with each rejected request
 */
function requireApiKey(
  key: string,
  onRefused: (request: FastifyRequest) => void = () => {},
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const isKey = matcherOf(key);
  return async (request, reply) => {
    if (isKey(bearerToken(request.headers.authorization))) return;
    onRefused(request);
    reply.header('www-authenticate', 'Bearer');
    throw refuse(ApiKeyInvalid);
  };
}
