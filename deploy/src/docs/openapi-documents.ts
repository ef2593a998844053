// Builds the OpenAPI documents of both services without opening anything.
import { buildApp as buildChallengeApp, type ChallengeParts } from '@tollgate/challenge-service/app.js';
import { readChallengeConfig } from '@tollgate/challenge-service/config.js';
import { buildApp as buildSessionApp, type SessionParts } from '@tollgate/session-service/app.js';
import { readSessionConfig } from '@tollgate/session-service/config.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { createLogger } from '@tollgate/shared/http/logger.js';
import type { FastifyInstance } from 'fastify';

/** An OpenAPI document, as far as the documentation looks into it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

// Nothing is made with these: no route is called.
const secret = (letter: string) => letter.repeat(32);
const environment = {
  PUBLIC_URL: 'http://localhost:8080',
  ACCESS_SECRET: secret('a'),
  REFRESH_SECRET: secret('r'),
  ENCRYPTION_KEY: secret('e'),
  CHALLENGE_SECRET: secret('c'),
};

/** The documents of the services in their default configuration, by the name of the service. */
export async function openApiDocuments(): Promise<
  Record<'challenge-service' | 'session-service', OpenApiDocument>
> {
  const logger = createLogger({ name: 'docs', level: 'silent' });
  const ring = openKeyRing(environment.CHALLENGE_SECRET);
  const challenge: ChallengeParts = {
    challenges: unused(),
    countRequest: unused(),
    ring,
    images: null,
    redis: {},
    logger,
  };
  const session: SessionParts = {
    sessions: unused(),
    challenges: unused(),
    directory: unused(),
    signIn: unused(),
    countRequest: unused(),
    ring,
    tokenKeys: {
      accessSecrets: openKeyRing(environment.ACCESS_SECRET),
      refreshSecrets: openKeyRing(environment.REFRESH_SECRET),
      encryptionKeys: openKeyRing(environment.ENCRYPTION_KEY),
    },
    redis: {},
    logger,
  };
  return {
    'challenge-service': await documentOf(
      await buildChallengeApp(readChallengeConfig(environment), challenge),
    ),
    'session-service': await documentOf(await buildSessionApp(readSessionConfig(environment), session)),
  };
}

/** The document as the service itself serves it. */
async function documentOf(app: FastifyInstance): Promise<OpenApiDocument> {
  const response = await app.inject('/openapi.json');
  await app.close();
  if (response.statusCode !== 200) throw new Error(`/openapi.json answered ${response.statusCode}`);
  return response.json();
}

/** Stands for a part that building an application does not use: whatever is called on it is not a function. */
function unused<T>(): T {
  return {} as T;
}
