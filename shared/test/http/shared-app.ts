// An application with every shared plugin, for the tests of this folder.

import { Writable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Test } from 'tap';
import errorHandler from '../../src/http/errors/error-handler.js';
import { CaptchaInvalid, refuse } from '../../src/http/errors/errors.js';
import { createLogger } from '../../src/http/observability/logger.js';
import crossOrigin from '../../src/http/server/cross-origin.js';
import jsonBodies from '../../src/http/server/json-bodies.js';
import methods from '../../src/http/server/methods.js';
import { responseHeaders, writeTimeout } from '../../src/http/server/responses.js';
import { serverOptions } from '../../src/http/server/server-options.js';
import { StoreUnavailableError } from '../../src/store/store.js';

export const ORIGIN = 'https://app.example.com';

/** Collected log lines. */
interface LogLines {
  readonly text: () => string;
  readonly lines: () => Record<string, unknown>[];
  readonly stream: Writable;
}

export function collectLog(): LogLines {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const lines = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { text: () => text, lines, stream };
}

interface SharedApp {
  readonly app: FastifyInstance;
  readonly log: LogLines;
}

/** Builds the application with the given routes; closes it at the end of the test. */
export async function buildSharedApp(
  t: Test,
  addRoutes: (app: FastifyInstance) => unknown = addSampleRoutes,
  publicUrl = 'https://example.com',
): Promise<SharedApp> {
  const log = collectLog();
  const logger = createLogger({ name: 'test', level: 'trace' }, log.stream);
  const app = Fastify(serverOptions({ logger, publicUrl }));
  t.teardown(() => app.close());
  await app.register(responseHeaders, { publicUrl });
  await app.register(writeTimeout);
  await app.register(errorHandler);
  await app.register(crossOrigin, { origin: ORIGIN });
  await app.register(methods);
  await app.register(jsonBodies);
  await addRoutes(app);
  await app.ready();
  return { app, log };
}

/** Adds a form, a route with a path parameter and a query, and routes that fail in every way. */
function addSampleRoutes(app: FastifyInstance): void {
  const body = Type.Object(
    {
      email: Type.String({ minLength: 1, maxLength: 20 }),
      password: Type.Optional(Type.String({ minLength: 8 })),
      age: Type.Optional(Type.Integer({ minimum: 18 })),
      size: Type.Optional(Type.Object({ width: Type.Integer() })),
    },
    { additionalProperties: false },
  );
  app.post('/form', { schema: { body } }, async () => ({ ok: true }));
  app.post('/no-body', async (request) => ({ body: request.body ?? null }));
  app.get(
    '/things/:id',
    {
      schema: {
        params: Type.Object({ id: Type.String({ pattern: '^[a-z]{3}$' }) }),
        querystring: Type.Object({ preset: Type.Optional(Type.String({ maxLength: 8 })) }),
      },
    },
    async () => ({ ok: true }),
  );
  app.get('/broken', async () => {
    throw new Error('the password hunter2 is in this message');
  });
  app.get('/throws-text', async () => {
    throw 'hunter2';
  });
  app.get('/store-away', async () => {
    throw new StoreUnavailableError('the store is out of reach');
  });
  app.get('/refused', async () => {
    throw refuse(CaptchaInvalid, {
      fields: { captcha: ['wrong_answer'], captcha_token: [{ key: 'too_long', params: { limit: 40 } }] },
      body: { captcha_required: true },
      headers: { 'x-extra': 7 },
    });
  });
}
