// Builds the OpenAPI documents of both services without opening a store or a port.
import { buildChallengeAdmin } from '@tollgate/challenge-service/admin.js';
import {
  buildApp as buildChallengeApp,
  type ChallengeDependencies,
} from '@tollgate/challenge-service/app.js';
import { readChallengeConfig } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { createChallengeMetrics } from '@tollgate/challenge-service/plugins/challenge-metrics.js';
import { buildSessionAdmin } from '@tollgate/session-service/admin.js';
import { buildApp as buildSessionApp, type SessionDependencies } from '@tollgate/session-service/app.js';
import { readSessionConfig } from '@tollgate/session-service/config.js';
import { createSessionMetrics } from '@tollgate/session-service/plugins/session-metrics.js';
import { openKeyRing } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import { openAccessLifetimes } from '@tollgate/shared/sessions';
import type { FastifyInstance } from 'fastify';

/** The parts of an OpenAPI document that the documentation reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

// Placeholders: no route is called, so these encrypt nothing.
const secret = (letter: string) => `0123456789abcdefghijklmnopqrstu${letter}`;
const environment = {
  PUBLIC_URL: 'http://localhost:8080',
  ACCESS_SECRET: secret('a'),
  REFRESH_SECRET: secret('r'),
  ENCRYPTION_KEY: secret('e'),
  CHALLENGE_SECRET: secret('c'),
  // These keys enable further routes.
  HOST_API_KEY: secret('h'),
  SESSION_API_KEY: secret('s'),
  // So does this option for images without JavaScript.
  CAPTCHA_NO_SCRIPT: 'image',
  // And this one for sessions of rendered pages.
  PAGE_COOKIE: 'true',
  PAGE_LOGIN_URL: '/sign-in',
};

const logger = createLogger({ name: 'docs', level: 'silent' });
const ring = openKeyRing(environment.CHALLENGE_SECRET);
const health = { checks: {}, state: { stopping: false } };
const extensions = await loadAllExtensions();
const examples = extensions.map((extension) => extension.example);
const challengeConfig = readChallengeConfig(Object.assign({}, environment, ...examples), extensions);
const sessionConfig = readSessionConfig(environment);

/**
 * The services' documents by service or admin port: default configuration, every key, every extension, images without
 * JavaScript, and the page cookie.
 */
export async function openApiDocuments(): Promise<
  Record<
    'challenge-service' | 'challenge-service-admin' | 'session-service' | 'session-service-admin',
    OpenApiDocument
  >
> {
  const admin = await adminApps();
  return {
    'challenge-service': await documentOf(await buildChallengeApp(challengeConfig, challengeParts())),
    'challenge-service-admin': await documentOf(admin.challenge),
    'session-service': await documentOf(await buildSessionApp(sessionConfig, sessionParts())),
    'session-service-admin': await documentOf(admin.session),
  };
}

/** The admin port applications with every key set. */
export async function adminApps(): Promise<Record<'challenge' | 'session', FastifyInstance>> {
  return {
    challenge: await buildChallengeAdmin(challengeConfig, challengeParts(), health),
    session: await buildSessionAdmin(sessionConfig, sessionParts(), health),
  };
}

function challengeParts(): ChallengeDependencies {
  return {
    challenges: unused(),
    countRequest: unused(),
    ring,
    images: null,
    extensions: {
      list: extensions.flatMap((extension) => extension.open(challengeConfig, '/') ?? []),
      openChallenges: unused,
    },
    onOtherDriver: () => {},
    redis: {},
    metrics: createChallengeMetrics({ process: false }),
    trail: unused(),
    logger,
  };
}

function sessionParts(): SessionDependencies {
  return {
    sessions: unused(),
    deviceVoids: unused(),
    revocations: unused(),
    revocationLog: unused(),
    revoker: unused(),
    lifetimes: openAccessLifetimes(900),
    proveUse: unused(),
    metrics: createSessionMetrics(unused(), { process: false }),
    trail: unused(),
    accountEvents: unused(),
    challenges: unused(),
    directory: unused(),
    signIn: unused(),
    signInCodes: unused(),
    countRequest: unused(),
    ring,
    tokenKeys: {
      accessSecrets: openKeyRing(environment.ACCESS_SECRET),
      refreshSecrets: openKeyRing(environment.REFRESH_SECRET),
      encryptionKeys: openKeyRing(environment.ENCRYPTION_KEY),
    },
    redis: unused(),
    logger,
  };
}

/** The document that the service itself serves. */
async function documentOf(app: FastifyInstance): Promise<OpenApiDocument> {
  const response = await app.inject('/openapi.json');
  await app.close();
  if (response.statusCode !== 200) throw new Error(`/openapi.json answered ${response.statusCode}`);
  return response.json();
}

/** A placeholder for a dependency that building an application does not use; any call throws. */
function unused<T>(): T {
  return {} as T;
}
