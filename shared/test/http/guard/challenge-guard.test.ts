// Application guards: `config.guards` in a third-party application.

import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyInstance, type FastifyRequest, type FastifySchema } from 'fastify';
import t, { type Test } from 'tap';
import errorHandler from '../../../src/http/errors/error-handler.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { challengeFieldsOf } from '../../../src/http/guard/guarded-attempt.js';
import { captcha, type Guard, pow } from '../../../src/http/guard/guards.js';
import { createLogger } from '../../../src/http/observability/logger.js';
import { en } from '../../../src/messages/en.js';
import { hashwxPartHashes } from '../../../src/pow/hashwx/work.js';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../../src/schemas/captcha-options.js';
import type { Store } from '../../../src/store/open-store.js';
import {
  ACCOUNT,
  ADDRESS,
  challengesOn,
  issuePicture,
  issueWork,
  powIssue,
  ring,
} from '../../challenges/fixtures.js';

const byEmail = pow({ key: (request) => (request.body as { email?: string } | undefined)?.email });

const strict: FastifySchema = {
  body: {
    type: 'object',
    required: ['email'],
    additionalProperties: false,
    properties: { email: { type: 'string', minLength: 1 } },
  },
};

interface GuardedApp {
  readonly app: FastifyInstance;
  readonly logged: () => string;
  /** Bodies that reached handlers. */
  readonly handled: unknown[];
  post(payload: object, url?: string): Promise<{ status: number; body: Record<string, unknown> }>;
}

/** Opens an application with Fastify's defaults, which drop fields that a strict schema does not name. */
async function buildHost(
  t: Test,
  store: Store,
  { guards = [byEmail], options = {} }: { guards?: Guard[]; options?: CaptchaOptionsInput } = {},
): Promise<GuardedApp> {
  const handled: unknown[] = [];
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const app = Fastify({
    loggerInstance: createLogger({ name: 'application', level: 'trace' }, stream),
  }) as unknown as FastifyInstance;
  t.teardown(() => app.close());
  await app.register(errorHandler);
  await app.register(guard, {
    store: challengesOn(store),
    ring,
    // Tickets and the alternatives to an image have separate tests (account.test.ts).
    options: resolveCaptchaOptions({
      min_seconds: 0,
      effort: { enabled: false },
      ...options,
      pow: { escalate: false, ...options.pow },
    }),
    application: 'tests',
  });
  const handle = async (request: FastifyRequest) => {
    handled.push(request.body);
    return { ok: true };
  };
  app.post('/form', { config: { guards }, schema: strict }, handle);
  app.post('/loose', { config: { guards } }, handle);
  app.post('/open', { schema: strict }, handle);
  app.post('/none', { config: { guards: [] } }, handle);
  await app.ready();
  const post = async (payload: object, url = '/form') => {
    const response = await app.inject({ method: 'POST', url, payload, remoteAddress: ADDRESS });
    return { status: response.statusCode, body: response.json() };
  };
  return { app, logged: () => log, handled, post };
}

const workFields = async (store: Store) => {
  const { powToken, powNonce } = await issueWork(challengesOn(store));
  return { pow_token: powToken, pow_nonce: powNonce };
};

const imageFields = async (store: Store) => {
  const { imageToken, imageAnswer } = await issuePicture(challengesOn(store));
  return { captcha_token: imageToken, captcha: imageAnswer };
};

const wrongWork = {
  captcha_required: false,
  message: en.pow_invalid,
  code: 'pow_invalid',
  errors: { pow_nonce: [en.wrong_work] },
};

t.test('solved work passes a strict schema once, and its fields do not reach the handler', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, handled } = await buildHost(t, store);
    const payload = { email: ACCOUNT, ...(await workFields(store)) };
    t.strictSame(await post(payload), { status: 200, body: { ok: true } });
    t.strictSame(handled, [{ email: ACCOUNT }]);
    t.strictSame(await post(payload), { status: 422, body: wrongWork });
    t.equal(handled.length, 1);
  });
});

t.test(
  'the response to a submission without challenge fields names them, and the handler does not run',
  async (t) => {
    const { store } = embeddedStore(t);
    const { post, handled } = await buildHost(t, store, { guards: [byEmail, captcha] });
    t.strictSame(await post({ email: ACCOUNT }), {
      status: 422,
      body: {
        captcha_required: true,
        message: en.pow_invalid,
        code: 'pow_invalid',
        errors: {
          pow_token: [en.required],
          pow_nonce: [en.required],
          captcha_token: [en.required],
          captcha: [en.required],
        },
      },
    });
    t.strictSame(await post({ email: ACCOUNT, ...(await workFields(store)) }), {
      status: 422,
      body: {
        captcha_required: true,
        message: en.captcha_invalid,
        code: 'captcha_invalid',
        errors: { captcha_token: [en.required], captcha: [en.required] },
      },
    });
    t.strictSame(handled, []);
  },
);

t.test('after two account failures an image is required, and every 422 says so', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post } = await buildHost(t, store);
    await app.captcha.recordFailure(ACCOUNT);
    t.equal((await post({ email: ACCOUNT, ...(await workFields(store)) })).status, 200);
    await app.captcha.recordFailure(ACCOUNT);

    t.strictSame(await post({ email: ACCOUNT, ...(await workFields(store)) }), {
      status: 422,
      body: {
        captcha_required: true,
        message: en.captcha_required,
        code: 'captcha_required',
        errors: { captcha_token: [en.required], captcha: [en.required] },
      },
    });
    t.strictSame(
      await post({
        email: ACCOUNT,
        ...(await workFields(store)),
        ...(await imageFields(store)),
        captcha: 'x',
      }),
      {
        status: 422,
        body: {
          captcha_required: true,
          message: en.captcha_invalid,
          code: 'captcha_invalid',
          errors: { captcha: [en.wrong_answer] },
        },
      },
    );
    t.match((await post({ email: ACCOUNT })).body, { code: 'pow_invalid', captcha_required: false });
    t.equal(
      (await post({ email: ACCOUNT, ...(await workFields(store)), ...(await imageFields(store)) })).status,
      200,
    );
    t.equal((await post({ email: 'other@example.com', ...(await workFields(store)) })).status, 200);
    await app.captcha.clearFailures(ACCOUNT, ADDRESS);
    t.equal((await post({ email: ACCOUNT, ...(await workFields(store)) })).status, 200);
  });
});

t.test(
  "an application's 422 before verification reveals nothing about the account, and consumes nothing",
  async (t) => {
    const { store } = embeddedStore(t);
    const required = pow({ key: () => ACCOUNT });
    const { app, post } = await buildHost(t, store, { guards: [required] });
    const work = await workFields(store);
    for (let failures = 0; failures < 3; failures++) {
      const image = { captcha_token: 'A'.repeat(40), captcha: 'x' };
      for (const [payload, demanded] of [
        [work, false],
        [{ ...work, ...image }, true],
      ] as const) {
        t.match(await post({ ...payload }), {
          status: 422,
          body: {
            captcha_required: demanded,
            pow_scope: undefined,
            message: en.validation_failed,
            code: 'validation_failed',
            errors: { email: [en.required] },
          },
        });
      }
      await app.captcha.recordFailure(ACCOUNT);
    }
    await app.captcha.clearFailures(ACCOUNT);
    t.equal((await post({ ...work, email: ACCOUNT })).status, 200);
  },
);

t.test('a body without a readable account is also 422', async (t) => {
  const { store } = embeddedStore(t);
  const careless = pow({ key: (request) => (request.body as { email: string }).email.toLowerCase() });
  for (const guards of [[byEmail], [careless]]) {
    const { app, post } = await buildHost(t, store, { guards });
    for (const email of [['a', 'b'], { a: 1 }, null, '']) {
      const { status, body } = await post({ email });
      t.equal(status, 422, JSON.stringify(email));
      t.match(body, { captcha_required: false, code: 'validation_failed' });
    }
    t.match((await app.inject({ method: 'POST', url: '/form' })).json(), {
      code: 'validation_failed',
      captcha_required: false,
    });
  }
});

t.test('the image guard alone always verifies the image', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post } = await buildHost(t, store, { guards: [captcha] });
    const payload = { email: ACCOUNT, ...(await imageFields(store)) };
    t.equal((await post(payload)).status, 200);
    t.match(await post(payload), { status: 422, body: { code: 'captcha_invalid', captcha_required: true } });
    t.match(await post({ email: ACCOUNT, ...(await workFields(store)) }), { status: 422 });
  });
});

t.test('guards as named in the specification equal the functions', async (t) => {
  const { store } = embeddedStore(t);
  const { post } = await buildHost(t, store, { guards: ['captcha', 'pow'] });
  t.equal((await post({ email: ACCOUNT, ...(await imageFields(store)) })).status, 422, 'without work');
  t.equal((await post({ email: ACCOUNT, ...(await workFields(store)) })).status, 422, 'without an image');
  const solved = { ...(await imageFields(store)), ...(await workFields(store)) };
  t.equal((await post({ email: ACCOUNT, ...solved })).status, 200);
});

t.test('with both guards invalid work does not consume the image', async (t) => {
  const { store } = embeddedStore(t);
  const { post } = await buildHost(t, store, { guards: [captcha, pow()] });
  const image = await imageFields(store);
  const unknown = { pow_token: 'A'.repeat(40), pow_nonce: '1' };
  const refused = { status: 422, body: { ...wrongWork, captcha_required: true } };
  t.strictSame(await post({ email: ACCOUNT, ...unknown, ...image }), refused);
  t.equal((await post({ email: ACCOUNT, ...(await workFields(store)), ...image })).status, 200);
});

t.test('exactly one of 200 parallel submissions of one solved challenge is handled', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, handled } = await buildHost(t, store);
    const payload = { email: ACCOUNT, ...(await workFields(store)) };
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(payload)));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    t.equal(answers.filter(({ status }) => status === 422).length, 199);
    t.equal(handled.length, 1);
  });
});

t.test('with Redis unreachable no submission passes: 503, for every guard', async (t) => {
  const { store, redis } = await redisStore(t);
  const apps = await Promise.all(
    [[byEmail], [captcha], [byEmail, captcha], [pow()]].map((guards) => buildHost(t, store, { guards })),
  );
  const payload = { email: ACCOUNT, ...(await workFields(store)), ...(await imageFields(store)) };
  await redis.stop();
  for (const { app, handled } of apps) {
    const response = await app.inject({ method: 'POST', url: '/form', payload });
    t.equal(response.statusCode, 503);
    t.strictSame(response.json(), { message: en.store_unavailable, code: 'store_unavailable' });
    t.equal(response.headers['retry-after'], '1');
    t.strictSame(handled, []);
  }
  const [keyed, unkeyed] = [apps[0], apps[3]];
  t.equal((await keyed?.post({}))?.body.code, 'validation_failed', 'without an account nothing is asked');
  t.equal((await keyed?.post({ email: ACCOUNT }))?.status, 422, 'and nothing without work');
  t.equal((await unkeyed?.post({ email: ACCOUNT }))?.status, 422);
});

t.test('malformed work is rejected without a write; with an account its failures are read', async (t) => {
  const { store, redis } = await redisStore(t);
  const { post } = await buildHost(t, store);
  const unkeyed = await buildHost(t, store, { guards: [pow()] });
  const junk = { email: ACCOUNT, pow_token: 'x', pow_nonce: '01' };
  await post(junk);
  t.strictSame(await redis.commands(() => unkeyed.post(junk)), []);
  const before = await redis.client.dbsize();
  await post(junk);
  t.equal(await redis.client.dbsize(), before);
  t.equal(before, 0);
});

t.test('HashWX work passes a guard that accepts it, and counts by its price', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, handled } = await buildHost(t, store, {
      options: { pow: { algorithms: 'sha256,hashwx-1', escalate: true } },
    });
    const solved = async (bits: number) => {
      const salt = randomBytes(32).toString('hex');
      const terms = [10, 512];
      const issue = powIssue({}, { floor: bits }, { algorithm: 'hashwx-1', salt, terms, floor: 8 });
      const issued = await challengesOn(store).issuePow(issue);
      if (!issued.allowed) throw new Error('the request was over its limit');
      const part_hashes = hashwxPartHashes(issued.difficulty, 10);
      const numbers = findHashwxNumbers({ salt, parts: 4, part_hashes, nonces_per_function: 512 });
      return { email: ACCOUNT, pow_token: issue.token, pow_nonce: numbers };
    };
    const payload = await solved(12);
    t.equal((await post(payload)).status, 200);
    t.strictSame(await post(payload), { status: 422, body: wrongWork });
    t.equal(handled.length, 1);
    await app.captcha.recordFailure(ACCOUNT);
    t.match(await post(await solved(8)), { status: 422, body: { code: 'pow_insufficient' } });
    // The rejection raised the price for the address to a sufficient one.
    t.equal((await post(await solved(8))).status, 200);
  });
});

t.test('routes without guards are unchanged', async (t) => {
  const { store } = embeddedStore(t);
  const { post, handled } = await buildHost(t, store);
  t.equal((await post({ email: ACCOUNT, pow_token: 5 }, '/open')).status, 200);
  t.equal((await post({ pow_token: 5 }, '/none')).status, 200);
  t.strictSame(handled, [{ email: ACCOUNT }, { pow_token: 5 }]);
  const { body } = await post({}, '/open');
  t.notOk('captcha_required' in body);
});

t.test('a guarded route without a schema is guarded, with and without a body', async (t) => {
  const { store } = embeddedStore(t);
  const { app, post, handled } = await buildHost(t, store);
  for (const payload of [{}, [], ['pow_token'], { email: ACCOUNT }]) {
    t.equal((await post(payload, '/loose')).status, 422, JSON.stringify(payload));
  }
  t.equal((await app.inject({ method: 'POST', url: '/loose' })).statusCode, 422);
  t.strictSame(handled, []);
  t.equal((await post(await workFields(store), '/loose')).status, 200);
});

t.test("the guard runs before the route's own hooks, and they can read the fields", async (t) => {
  const { store } = embeddedStore(t);
  const order: string[] = [];
  const app = Fastify() as unknown as FastifyInstance;
  t.teardown(() => app.close());
  await app.register(errorHandler);
  const options = resolveCaptchaOptions({ min_seconds: 0 });
  await app.register(guard, { store: challengesOn(store), ring, options, application: 'tests' });
  const say = (what: string) => async (request: FastifyRequest) => {
    order.push(`${what} ${challengeFieldsOf(request).powNonce}`);
  };
  app.post(
    '/hooks',
    {
      config: { guards: [pow()] },
      preValidation: say('validating'),
      preHandler: [say('first'), say('second')],
    },
    async () => 'ok',
  );
  const send = (payload: object) => app.inject({ method: 'POST', url: '/hooks', payload });
  t.equal((await send({ pow_token: 'x', pow_nonce: 'n' })).statusCode, 422);
  t.strictSame(order, ['validating n'], 'a refused submission reaches no hook of the handler');
  order.length = 0;
  const work = await workFields(store);
  t.equal((await send(work)).statusCode, 200);
  t.strictSame(order, [
    `validating ${work.pow_nonce}`,
    `first ${work.pow_nonce}`,
    `second ${work.pow_nonce}`,
  ]);
});

t.test('a guarded route declared too early is rejected, not unguarded', async (t) => {
  const { store } = embeddedStore(t);
  const app = Fastify() as unknown as FastifyInstance;
  t.teardown(() => app.close());
  app.register(errorHandler);
  app.register(guard, {
    store: challengesOn(store),
    ring,
    options: resolveCaptchaOptions(),
    application: 'tests',
  });
  let handled = 0;
  app.post('/early', { config: { guards: [pow()] } }, async () => handled++);
  app.post('/open', async () => 'ok');
  await app.ready();
  const response = await app.inject({ method: 'POST', url: '/early', payload: await workFields(store) });
  t.equal(response.statusCode, 500);
  t.equal(handled, 0);
  t.equal((await app.inject({ method: 'POST', url: '/open' })).statusCode, 200);
});

t.test('a plugin without its dependencies stops the start', async (t) => {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(errorHandler);
  await t.rejects(async () => app.register(guard, {} as never), TypeError);
});

t.test('renamed fields are read and reported by their new names', async (t) => {
  const { store } = embeddedStore(t);
  const options = { pow: { fields: { token: 'work', nonce: 'number' } } };
  const { post } = await buildHost(t, store, { guards: [pow()], options });
  const { pow_token, pow_nonce } = await workFields(store);
  t.strictSame((await post({ email: ACCOUNT, pow_token, pow_nonce })).body.errors, {
    work: [en.required],
    number: [en.required],
  });
  t.equal((await post({ email: ACCOUNT, work: pow_token, number: pow_nonce })).status, 200);
});

t.test('the log contains the reason for a rejection, and no token, answer or account', async (t) => {
  const { store } = embeddedStore(t);
  const { post, logged } = await buildHost(t, store);
  const fields = { ...(await workFields(store)), ...(await imageFields(store)), captcha: 'secret-answer' };
  await post({ email: ACCOUNT, ...fields });
  t.match(logged(), '"code":"captcha_invalid","reason":"wrong"');
  for (const text of [ACCOUNT, ...Object.values(fields).filter((value) => value.length > 10)]) {
    t.notOk(logged().includes(text), text);
  }
});
