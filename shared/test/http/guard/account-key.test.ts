// A guard's account key: no request may cause a server error.

import { ACCOUNT, fail, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyRequest } from 'fastify';
import t, { type Test } from 'tap';
import errorHandler from '../../../src/http/errors/error-handler.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { type AccountKeyOf, pow } from '../../../src/http/guard/guards.js';
import { en } from '../../../src/messages/en.js';
import type { Store } from '../../../src/store/open-store.js';
import { StoreUnavailableError } from '../../../src/store/store.js';

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
