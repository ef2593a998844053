// Guards with an account: a route's requirements, its rejections, and keys from any request.

import { Type } from '@sinclair/typebox';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { ACCOUNT, cheap, type Desk, fail, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import t, { type Test } from 'tap';
import errorHandler from '../../../src/http/errors/error-handler.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { type AccountKeyOf, captcha, pow } from '../../../src/http/guard/guards.js';
import { en } from '../../../src/messages/en.js';
import type { Store } from '../../../src/store/open-store.js';
import { StoreUnavailableError } from '../../../src/store/store.js';

const body = Type.Object(
  { email: Type.String({ minLength: 1 }), text: Type.Optional(Type.String({ maxLength: 5 })) },
  { additionalProperties: false },
);
const emailOf = (request: FastifyRequest) => (request.body as { email: string }).email;

interface Guarded extends Desk {
  readonly app: FastifyInstance;
  post(
    path: string,
    payload: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; json: object }>;
  /** The challenge fields of solved work. */
  fields(ticket?: string): Promise<{ pow_token: string; pow_nonce: string }>;
  imageFields(): Promise<{ captcha_token: string; captcha: string }>;
}

/** Opens an application with or without the project's error handler. */
async function openGuarded(t: Test, store: Store, withErrors = false): Promise<Guarded> {
  const desk = openDesk(store, { input: cheap });
  const app = Fastify();
  t.teardown(() => app.close());
  if (withErrors) await app.register(errorHandler);
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  app.post('/pow', { config: { guards: [pow()] }, schema: { body } }, async ({ body }) => body);
  app.post('/captcha', { config: { guards: [captcha] }, schema: { body } }, async ({ body }) => body);
  app.post('/both', { config: { guards: [captcha, pow()] }, schema: { body } }, async ({ body }) => body);
  app.post('/keyed', { config: { guards: [pow({ key: emailOf })] }, schema: { body } }, async () => ({}));
  app.post('/broken', { config: { guards: [pow()] } }, async () => {
    throw Object.assign(new Error('a teapot'), { statusCode: 418 });
  });
  app.post('/open', async () => ({}));
  await app.ready();
  return {
    ...desk,
    app,
    async post(path, payload, headers = {}) {
      const response = await app.inject({ method: 'POST', url: path, payload, headers });
      return { status: response.statusCode, json: response.json() };
    },
    async fields(ticket) {
      const { powToken, powNonce } = await desk.work(ticket === undefined ? {} : { ticket });
      return { pow_token: powToken, pow_nonce: powNonce };
    },
    async imageFields() {
      const { imageToken, imageAnswer } = await desk.image();
      return { captcha_token: imageToken, captcha: imageAnswer };
    },
  };
}

const form = { email: 'someone@example.com' };
const failed = 'The security check was not solved.';

t.test('solved work passes once; a strict schema does not remove its fields first', async (t) => {
  await eachKind(t, async (t, { store }) => {
    for (const withErrors of [false, true]) {
      const { post, fields } = await openGuarded(t, store, withErrors);
      const work = await fields();
      t.strictSame(await post('/pow', { ...form, ...work }), { status: 200, json: form });
      t.strictSame(await post('/pow', { ...form, ...work }), {
        status: 422,
        json: {
          captcha_required: false,
          message: 'The security check has failed. Please try again.',
          code: 'pow_invalid',
          errors: { pow_nonce: [failed] },
        },
      });
      t.match(await post('/pow', form, { 'accept-language': 'fr' }), {
        status: 422,
        json: { code: 'pow_invalid', errors: { pow_token: ['Ce champ est obligatoire.'] } },
      });
    }
  });
});

t.test('the image guard always verifies the image fields', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, imageFields, fields } = await openGuarded(t, store);
    const image = await imageFields();
    t.strictSame(await post('/captcha', { ...form, ...image }), { status: 200, json: form });
    t.match(await post('/captcha', { ...form, ...image }), {
      status: 422,
      json: {
        code: 'captcha_invalid',
        errors: { captcha: [String] },
        captcha_required: true,
        captcha_alternatives: ['effort'],
      },
    });
    t.match(await post('/captcha', form), {
      status: 422,
      json: { code: 'captcha_invalid', errors: { captcha_token: [String], captcha: [String] } },
    });
    t.equal((await post('/both', { ...form, ...(await imageFields()) })).status, 422);
    t.equal((await post('/both', { ...form, ...(await fields()) })).status, 422);
    t.equal((await post('/both', { ...form, ...(await fields()), ...(await imageFields()) })).status, 200);
  });
});

t.test('invalid work never consumes an image', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, imageFields, fields, work } = await openGuarded(t, store);
    const image = await imageFields();
    const { powToken, salt, difficulty } = await work();
    const wrong = { pow_token: powToken, pow_nonce: findNonce(salt, difficulty, false) };
    t.equal((await post('/both', { ...form, ...wrong, ...image })).status, 422);
    t.equal((await post('/both', { ...form, ...(await fields()), ...image })).status, 200);
  });
});

t.test('account failures raise the price and require an image, and the response says so', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, fields, imageFields } = await openGuarded(t, store);
    t.strictSame(await post('/keyed', { ...form, ...(await fields()) }), { status: 200, json: {} });
    await app.captcha.recordFailure(form.email);
    const cheapWork = await post('/keyed', { ...form, ...(await fields()) });
    t.match(cheapWork, {
      status: 422,
      json: { code: 'pow_insufficient', captcha_required: false, pow_scope: /^[\w-]{74}$/ },
    });
    const { pow_scope: ticket } = cheapWork.json as { pow_scope: string };
    t.equal((await post('/keyed', { ...form, ...(await fields(ticket)) })).status, 200);
    await app.captcha.recordFailure(form.email);
    t.match(await post('/keyed', { ...form, ...(await fields(ticket)) }), {
      status: 422,
      json: { code: 'captcha_required', captcha_required: true, captcha_alternatives: ['effort'] },
    });
    t.equal(
      (await post('/keyed', { ...form, ...(await fields(ticket)), ...(await imageFields()) })).status,
      200,
    );
    t.equal((await post('/keyed', { email: 'other@example.com', ...(await fields()) })).status, 200);
  });
});

t.test('a form rejected by its schema gets the same requirements, in the usual format', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, fields } = await openGuarded(t, store);
    await app.captcha.recordFailure(form.email);
    await app.captcha.recordFailure(form.email);
    const work = await fields();
    t.match(await post('/keyed', { ...form, text: 'too long', ...work }), {
      status: 422,
      json: {
        code: 'validation_failed',
        errors: { text: ['This value is too long (maximum length: 5).'] },
        captcha_required: false,
        pow_scope: undefined,
      },
    });
    t.strictSame((await post('/keyed', { email: {}, ...work })).json, {
      captcha_required: false,
      message: 'Some of the data is missing or wrong.',
      code: 'validation_failed',
      errors: { email: ['This value is of the wrong type.'] },
    });
    t.equal((await post('/pow', { ...form, ...work })).status, 200, 'none of that has spent the work');
  });
});

t.test("an application's own error handler sends all responses, including rejections", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const desk = openDesk(store, { input: cheap });
    const app = Fastify();
    t.teardown(() => app.close());
    app.setErrorHandler((error: FastifyError, request, reply) =>
      reply.code(error.statusCode ?? 500).send({ mine: error.message, verdict: request.challengeVerdict }),
    );
    await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
    app.post('/form', { config: { guards: [pow()] } }, async () => {
      throw new Error('mine to handle');
    });
    app.post(
      '/own',
      { config: { guards: [pow()] }, errorHandler: (_error, _request, reply) => reply.send('own') },
      async () => ({}),
    );
    const post = async (url: string, payload: object) =>
      (await app.inject({ method: 'POST', url, payload })).json();
    const { powToken: pow_token, powNonce: pow_nonce } = await desk.work();
    t.strictSame(await post('/form', { pow_token, pow_nonce }), {
      mine: 'mine to handle',
      verdict: { ok: true },
    });
    const message = 'The security check has failed. Please try again.';
    t.strictSame(await post('/form', { pow_token, pow_nonce }), {
      captcha_required: false,
      mine: message,
      verdict: {
        ok: false,
        status: 422,
        body: { captcha_required: false, message, code: 'pow_invalid', errors: { pow_nonce: [failed] } },
      },
    });
    t.equal((await app.inject({ method: 'POST', url: '/own', payload: {} })).body, 'own');
  });
});

t.test('a route declared before the plugin is rejected, not unguarded', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const desk = openDesk(store, { input: cheap });
    const app = Fastify();
    t.teardown(() => app.close());
    app.post('/early', { config: { guards: [pow()] } }, async () => 'open');
    app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
    const answer = await app.inject({ method: 'POST', url: '/early', payload: {} });
    t.equal(answer.statusCode, 500);
    t.notMatch(answer.body, /open"|^open$/);
  });
});

t.test('verification costs one command per challenge, and one more with an account', async (t) => {
  const { store, redis } = await redisStore(t);
  const { post, fields, imageFields } = await openGuarded(t, store);
  await post('/both', { ...form, ...(await fields()), ...(await imageFields()) });
  await post('/keyed', { ...form, ...(await fields()) });
  const costs = async (path: string, payload: object) =>
    (await redis.commands(() => post(path, payload))).length;
  t.equal(await costs('/pow', { ...form, ...(await fields()) }), 1);
  t.equal(await costs('/both', { ...form, ...(await fields()), ...(await imageFields()) }), 2);
  t.equal(await costs('/keyed', { ...form, ...(await fields()) }), 2);
  t.equal(await costs('/keyed', { ...form, pow_token: 'junk', pow_nonce: '1' }), 0);
  t.equal(await costs('/keyed', { ...form, pow_token: 'A'.repeat(40), pow_nonce: '1' }), 1);
  t.equal(await costs('/pow', { ...form, pow_token: 'junk', pow_nonce: '1' }), 0);
});

t.test('an unreachable store closes the guarded routes alone', async (t) => {
  const { store, redis } = await redisStore(t);
  const { post, fields } = await openGuarded(t, store);
  const work = await fields();
  await redis.stop();
  for (const path of ['/pow', '/keyed']) {
    t.match(await post(path, { ...form, ...work }), { status: 503, json: { code: 'store_unavailable' } });
  }
  t.equal((await post('/open', {})).status, 200);
});

// A guard's account key: no request may cause a server error.

const documented = (request: FastifyRequest) => (request.body as { email?: string } | undefined)?.email;
const careless = (request: FastifyRequest) => (request.body as { email: string }).email.toLowerCase();

const noAccount = {
  captcha_required: false,
  message: en.validation_failed,
  code: 'validation_failed',
  errors: { body: [en.malformed] },
};

/** Opens an application with one route and no schema; `withErrors` adds the project's error handler. */
async function openApp(t: Test, store: Store, key: AccountKeyOf, withErrors = false) {
  const desk = openDesk(store);
  const app = Fastify();
  t.teardown(() => app.close());
  if (withErrors) await app.register(errorHandler);
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  app.post('/reset', { config: { guards: [pow({ key })] } }, async () => ({ ok: true }));
  const post = async (payload: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = payload === undefined ? {} : { headers, payload: JSON.stringify(payload) };
    const response = await app.inject({ method: 'POST', url: '/reset', ...sent });
    return { status: response.statusCode, body: response.json() };
  };
  const fields = async (ticket?: string) => {
    const { powToken, powNonce } = await desk.work(ticket === undefined ? {} : { ticket });
    return { pow_token: powToken, pow_nonce: powNonce };
  };
  return { ...desk, app, post, fields };
}

t.test('a key that is not a text of 1 to 512 characters is 422, and consumes nothing', async (t) => {
  await eachKind(t, async (t, { store }) => {
    for (const withErrors of [false, true]) {
      for (const key of [documented, async (request: FastifyRequest) => documented(request)]) {
        const { post, fields } = await openApp(t, store, key, withErrors);
        const work = await fields();
        for (const email of [5, null, true, [ACCOUNT], { a: 1 }, '', 'x'.repeat(513)]) {
          const name = JSON.stringify(email).slice(0, 20);
          t.strictSame(await post({ ...work, email }), { status: 422, body: noAccount }, name);
        }
        t.strictSame(await post({ ...work, email: 'x'.repeat(512) }), { status: 200, body: { ok: true } });
      }
    }
  });
});

t.test('work of a body that names no account, or is not an object, is verified without one', async (t) => {
  const { store } = embeddedStore(t);
  const { post, fields } = await openApp(t, store, documented);
  for (const body of [undefined, null, ['a'], 5, 'text', {}]) {
    t.match(await post(body), { status: 422, body: { code: 'pow_invalid', captcha_required: false } });
  }
  t.strictSame(await post(await fields()), { status: 200, body: { ok: true } });
});

t.test('a body that the key function does not expect is 422', async (t) => {
  const { store } = embeddedStore(t);
  for (const key of [careless, async (request: FastifyRequest) => careless(request)]) {
    const { post, fields } = await openApp(t, store, key);
    for (const body of [undefined, null, ['a'], 5, {}, { email: 5 }, { email: null }]) {
      t.strictSame(await post(body), { status: 422, body: noAccount }, JSON.stringify(body));
    }
    t.strictSame(await post({ ...(await fields()), email: ACCOUNT }), { status: 200, body: { ok: true } });
  }
});

t.test('an asynchronous key counts like a synchronous one', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, fields, host } = await openApp(t, store, async (request) => documented(request));
    await fail(host, 2);
    const cheap = await post({ ...(await fields()), email: ACCOUNT });
    t.match(cheap, { status: 422, body: { code: 'pow_insufficient', captcha_required: true } });
    const { pow_scope: ticket } = cheap.body;
    t.match(await post({ ...(await fields(ticket)), email: ACCOUNT }), {
      status: 422,
      body: { code: 'captcha_required', captcha_required: true, pow_scope: String },
    });
    t.match(await post({ ...(await fields()), email: 'other@example.com' }), { status: 200 });
  });
});

t.test('an exception in the key function is an error of the application', async (t) => {
  const { store } = embeddedStore(t);
  const answers = new Map<Error, number>([
    [new Error('the directory is away'), 500],
    [new TypeError('fetch failed', { cause: new Error('refused') }), 500],
    [Object.assign(new Error('sign in first'), { statusCode: 401 }), 401],
    [new StoreUnavailableError('away'), 503],
  ]);
  for (const [error, status] of answers) {
    const { post, fields } = await openApp(t, store, () => Promise.reject(error));
    t.equal((await post(await fields())).status, status, error.message);
  }
});
