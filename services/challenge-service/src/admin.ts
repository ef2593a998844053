// The admin application of the challenge service: health, metrics and, for applications with a key, the host API.

import { type AdminOptions, buildAdminApp, metricsRoute } from '@tollgate/shared/http';
import type { FastifyInstance } from 'fastify';
import type { ChallengeDependencies } from './app.js';
import type { ChallengeConfig } from './config.js';
import applications from './plugins/applications.js';
import clearFailures from './routes/clear-failures.js';
import hostVerify from './routes/host-verify.js';
import recordFailure from './routes/record-failure.js';

/** Builds the admin application on the same dependencies, ready to listen. Without host API keys it has no host API. */
export async function buildChallengeAdmin(
  config: Pick<ChallengeConfig, 'values' | 'captcha' | 'hostKeys'>,
  deps: Pick<ChallengeDependencies, 'challenges' | 'ring' | 'kinds' | 'logger' | 'metrics' | 'trail'>,
  health: Pick<AdminOptions, 'checks' | 'state' | 'dispensable'>,
): Promise<FastifyInstance> {
  const { values, captcha: options, hostKeys } = config;
  const { challenges, ring, kinds = [], logger, metrics, trail } = deps;
  const description = {
    title: 'Tollgate challenge service, host API',
    version: '1',
    description: 'Verifies challenges and counts failures for applications in any language',
    serverUrl: `http://${values.ADMIN_BIND}:${values.CHALLENGE_ADMIN_PORT}`,
    securitySchemes: { hostKey: { type: 'http', scheme: 'bearer' } },
  } as const;
  const app = await buildAdminApp({
    logger,
    publicUrl: values.PUBLIC_URL,
    description,
    isTestMode: options.test_mode,
    ...health,
    observe: metrics.requests('admin'),
  });
  await app.register(metricsRoute, { metrics: metrics.registry });
  if (hostKeys.length === 0) return app;

  await app.register(applications, { challenges, ring, options, keys: hostKeys, kinds, metrics, trail });
  await app.register(hostVerify, { options });
  await app.register(recordFailure);
  await app.register(clearFailures);
  return app;
}
