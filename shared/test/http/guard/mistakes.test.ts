// Mistakes of an application: unknown guards, and exceptions in a custom type.

import { Writable } from 'node:stream';
import { openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import { encodeVerifiedTail } from '../../../src/challenges/store/records.js';
import type { VerifiedType } from '../../../src/challenges/types/challenge-type.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { captcha, pow } from '../../../src/http/guard/guards.js';
import { createLogger } from '../../../src/http/observability/logger.js';
import { resolveCaptchaOptions } from '../../../src/schemas/captcha-options.js';
import type { Store } from '../../../src/store/open-store.js';
import { challengesOn, imageIssue } from '../../challenges/fixtures.js';

const key = () => 'someone';

/** Mistyped values of `guards`, and the errors that they cause. */
const MISTYPED: readonly [string, unknown, string][] = [
  ['a name', 'pow', 'must be a list of captcha and pow()'],
  ['a guard without its list', pow(), 'must be a list of captcha and pow()'],
  ['a guard that was not called', pow, 'must be a list of captcha and pow()'],
  ['nothing', null, 'must be a list of captcha and pow()'],
  ['an unknown name', ['proof'], 'must be a list of captcha and pow(): element 1 is neither'],
  ['a capital', [{ name: 'Captcha' }], 'must be a list of captcha and pow(): element 1 is neither'],
  ['a hole', [undefined], 'must be a list of captcha and pow(): element 1 is neither'],
  ['an inherited name', [{ name: 'toString' }], 'must be a list of captcha and pow(): element 1 is neither'],
  [
    'a key that is a name',
    [pow({ key: 'email' as never })],
    'must be a list of captcha and pow(): element 1 is neither',
  ],
  [
    'a mistyped key',
    [pow({ kye: key } as never)],
    'must be a list of captcha and pow(): element 1 is neither',
  ],
  ['an image with a key', [{ ...captcha, key }], 'must be a list of captcha and pow(): element 1 is neither'],
  ['the work twice', [pow(), pow({ key })], 'must name pow() once'],
  ['the work twice, once not called', [pow, pow({ key })], 'must name pow() once'],
  [
    'a throttle without a key',
    [pow({ throttle: true })],
    'must have a key beside the throttle of pow(): without one there is no account to count',
  ],
  [
    'a device without a key',
    [pow({ device: async () => undefined })],
    'must have a key beside the device of pow(): without one there is no account to count',
  ],
  [
    'a device that is no function',
    [pow({ key, device: 'laptop' as never })],
    'must be a list of captcha and pow(): element 1 is neither',
  ],
  [
    'a throttle that is no boolean',
    [pow({ key, throttle: 5 as never })],
    'must be a list of captcha and pow(): element 1 is neither',
  ],
];

async function openApp(t: Test, store: Store): Promise<FastifyInstance> {
  const app = Fastify();
  t.teardown(() => app.close());
  const { challenges, options } = openDesk(store);
  await app.register(guard, { store: challenges, ring, options, application: 'tests' });
  return app;
}

t.test('a mistyped guard stops the start, and the error names its route', async (t) => {
  const { store } = embeddedStore(t);
  const app = await openApp(t, store);
  for (const [name, guards, words] of MISTYPED) {
    t.throws(
      () => app.post('/form', { config: { guards: guards as never } }, async () => 'open'),
      new TypeError(`guards of POST /form ${words}`),
      name,
    );
  }
  t.throws(() => pow(key as never), new TypeError('pow() takes an object with a function as key'));
});

t.test('a route with an invalid guard, declared before the plugin, is rejected, not unguarded', async (t) => {
  const { store } = embeddedStore(t);
  const { challenges, options } = openDesk(store);
  const app = Fastify();
  t.teardown(() => app.close());
  app.register(guard, { store: challenges, ring, options, application: 'tests' });
  let handled = 0;
  MISTYPED.forEach(([, guards], at) => {
    app.post(`/early/${at}`, { config: { guards: guards as never } }, async () => ++handled);
  });
  app.post('/none', { config: { guards: [] } }, async () => 'in');
  for (const [at, [name]] of MISTYPED.entries()) {
    const answer = await app.inject({ method: 'POST', url: `/early/${at}`, payload: {} });
    t.equal(answer.statusCode, 500, name);
  }
  t.equal(handled, 0);
  t.equal((await app.inject({ method: 'POST', url: '/none', payload: {} })).body, 'in');
});

t.test('valid guards protect their route, for every method and in any order', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const app = await openApp(t, store);
    const right = [
      [pow],
      [pow()],
      [captcha],
      [captcha, pow],
      [captcha, pow({ key })],
      [pow({ key }), captcha],
      [captcha, captcha],
    ];
    right.forEach((guards, at) => {
      const config = { guards };
      app.route({ method: ['POST', 'PUT'], url: `/${at}`, config, handler: async () => 'open' });
    });
    for (const at of right.keys()) {
      for (const method of ['POST', 'PUT'] as const) {
        t.equal((await app.inject({ method, url: `/${at}`, payload: {} })).statusCode, 422);
      }
    }
  });
});

t.test('an application without a name does not start: it would share the counters of others', async (t) => {
  const { store } = embeddedStore(t);
  const { challenges, options } = openDesk(store);
  for (const name of [undefined, null, '', 5, ['shop'], 'a b', 'x'.repeat(65)]) {
    const app = Fastify();
    t.teardown(() => app.close());
    const deps = { store: challenges, ring, options, application: name as never };
    await t.rejects(
      async () => app.register(guard, deps),
      new TypeError('the application must have a name of 1 to 64 letters, digits, _, . or -'),
      JSON.stringify(name),
    );
  }
});

t.test('guards with functions renamed by a bundler still guard their route', async (t) => {
  const { store } = embeddedStore(t);
  const app = await openApp(t, store);
  for (const guard of [pow, captcha]) {
    const { name } = guard;
    t.teardown(() => Object.defineProperty(guard, 'name', { value: name }));
    Object.defineProperty(guard, 'name', { value: 'a' });
  }
  const lists = [[pow], [captcha], [pow, captcha]];
  lists.forEach((guards, at) => {
    app.post(`/${at}`, { config: { guards } }, async () => 'open');
  });
  for (const at of lists.keys()) {
    t.equal((await app.inject({ method: 'POST', url: `/${at}`, payload: {} })).statusCode, 422);
  }
});

// A custom challenge type with an exception in verify: its message may contain the answer.

const REST = 'the-right-answer-is-k7mxqp';

/** Submits an answer to a type with this `verify`, to an application with Fastify's own error handler. */
async function submit(t: Test, store: Store, verify: (rest: string) => unknown) {
  const own = { name: 'own', maxAnswerCharacters: 20, hasMinimumTime: false, verify } as VerifiedType;
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const loggerInstance = createLogger({ name: 'application', level: 'trace' }, stream);
  const app = Fastify({ loggerInstance }) as unknown as FastifyInstance;
  t.teardown(() => app.close());
  const challenges = challengesOn(store);
  const options = resolveCaptchaOptions({ min_seconds: 0 });
  await app.register(guard, { store: challenges, ring, options, application: 'tests', kinds: [own] });
  app.post('/form', { config: { guards: [captcha] } }, async () => 'in');
  const recordTail = encodeVerifiedTail({
    verifiedBy: 'verify',
    type: 'own',
    keyId: ring.current.id,
    address: null,
    rest: REST,
  });
  const issue = imageIssue({ recordTail });
  await challenges.issueImage(issue);
  const payload = { captcha_token: issue.token, captcha: 'x' };
  const response = await app.inject({ method: 'POST', url: '/form', payload });
  return { status: response.statusCode, body: response.json(), log };
}

t.test('answer leak: client and log get the class of a verify exception, not its message', async (t) => {
  class Broken extends Error {
    override readonly name = 'Broken';
  }
  const table: [(rest: string) => unknown, string][] = [
    [(rest) => JSON.parse(rest), 'threw SyntaxError'],
    [
      (rest) => {
        throw new Broken(rest, { cause: new Error(rest) });
      },
      'threw Broken',
    ],
    [
      (rest) => {
        throw rest;
      },
      'threw a non-error value',
    ],
    [(rest) => rest, 'must return right, wrong or insufficient'],
    [
      async (rest) => {
        throw new Error(rest);
      },
      'must return right, wrong or insufficient',
    ],
  ];
  await eachKind(t, async (t, { store }) => {
    for (const [verify, words] of table) {
      const { status, body, log } = await submit(t, store, verify);
      const message = `verify of the kind own ${words}`;
      t.strictSame(
        { status, body },
        { status: 500, body: { statusCode: 500, error: 'Internal Server Error', message } },
      );
      t.match(log, message);
      t.notMatch(log, 'k7mxqp');
    }
  });
});
