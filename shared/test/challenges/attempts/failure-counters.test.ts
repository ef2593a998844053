// Failures and attempts of accounts: when an image is required, and parallel guesses on a guarded route.

import { cheap, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, eachStore, redisStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyRequest } from 'fastify';
import t, { type Test } from 'tap';
import guard from '../../../src/http/guard/challenge-guard.js';
import { pow } from '../../../src/http/guard/guards.js';
import type { Store } from '../../../src/store/open-store.js';
import {
  ACCOUNT,
  ADDRESS,
  challengesOn,
  DECAY_MS,
  effortIssue,
  hostOn,
  imageIssue,
  newClaim,
  powIssue,
} from '../fixtures.js';

t.test('a captcha is required from the second failure until a success', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const host = hostOn(store);
    t.equal(await host.requiredFor(ACCOUNT), false);
    t.match(await host.recordFailure(ACCOUNT), { failures: 1 });
    t.equal(await host.requiredFor(ACCOUNT), false);
    t.match(await host.recordFailure(ACCOUNT), { failures: 2 });
    t.equal(await host.requiredFor(ACCOUNT), true);
    t.equal(await host.requiredFor(ACCOUNT, 3), false);
    t.equal(await host.requiredFor('other@example.com'), false);
    await host.clearFailures(ACCOUNT);
    t.equal(await host.requiredFor(ACCOUNT), false);
    await host.recordFailure(ACCOUNT);
    await host.recordFailure(ACCOUNT);
    await age(DECAY_MS);
    t.equal(await host.requiredFor(ACCOUNT), false);
  });
});

t.test('a threshold of zero always requires a captcha', async (t) => {
  const { store } = await redisStore(t);
  t.equal(await hostOn(store, { escalation: { after: 0 } }).requiredFor(ACCOUNT), true);
  t.equal(await hostOn(store).requiredFor(ACCOUNT, 0), true);
});

t.test('an application neither reads nor clears the counters of another application', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const shop = hostOn(store, {}, { name: 'shop' });
    const forum = hostOn(store, {}, { name: 'forum' });
    for (let i = 0; i < 5; i++) await shop.countAttempt(ACCOUNT, ADDRESS);
    t.strictSame(await forum.attemptStatus(ACCOUNT, ADDRESS), { failures: 0, waitMs: 0 });
    await forum.clearFailures(ACCOUNT, ADDRESS);
    const standing = await shop.attemptStatus(ACCOUNT, ADDRESS);
    t.equal(standing.failures, 5);
    t.ok(standing.waitMs > 0);
    const split = hostOn(store, {}, { name: 'shopdemo' });
    t.equal((await split.attemptStatus('@example.com')).failures, 0, 'nor by a name that runs into the key');
  });
});

t.test('an IPv6 user with 2^64 addresses counts as one address', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    for (let i = 1; i <= 5; i++) {
      t.equal((await host.countAttempt(ACCOUNT, `2001:db8:0:7::${i}`)).waitMs, 0);
    }
    t.ok((await host.countAttempt(ACCOUNT, '2001:db8:0:7:ffff::1')).waitMs > 0);
    t.equal((await host.countAttempt(ACCOUNT, '2001:db8:0:8::1')).waitMs, 0);
    for (let i = 0; i < 4; i++) await host.countAttempt('v4@example.com', ADDRESS);
    await host.countAttempt('v4@example.com', `::ffff:${ADDRESS}`);
    t.ok((await host.attemptStatus('v4@example.com', ADDRESS)).waitMs > 0);
  });
});

t.test(
  'two IPv4 hosts behind one IPv6 translator are delayed separately, as with their own addresses',
  async (t) => {
    const other = '198.51.100.9';
    for (const prefix of ['64:ff9b::', '::ffff:0:']) {
      await eachStore(t, async (t, { store }) => {
        const host = hostOn(store);
        for (let i = 0; i < 4; i++) await host.countAttempt(ACCOUNT, `${prefix}${ADDRESS}`);
        await host.countAttempt(ACCOUNT, ADDRESS);
        t.ok((await host.attemptStatus(ACCOUNT, `${prefix}${ADDRESS}`)).waitMs > 0, prefix);
        t.equal((await host.attemptStatus(ACCOUNT, `${prefix}${other}`)).waitMs, 0, prefix);
      });
    }
  },
);

t.test('without an address no pair is delayed, and the account is still counted', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    for (let i = 0; i < 7; i++)
      t.match(await host.countAttempt(ACCOUNT, 'not an address'), { before: i, waitMs: 0 });
    t.equal((await host.attemptStatus(ACCOUNT)).failures, 7);
  });
});

t.test('a withdrawn attempt is not counted', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const first = await host.countAttempt(ACCOUNT, ADDRESS);
    const second = await host.countAttempt(ACCOUNT, ADDRESS);
    t.strictSame([first.before, second.before], [0, 1]);
    await first.withdraw();
    await first.withdraw();
    t.equal((await host.attemptStatus(ACCOUNT, ADDRESS)).failures, 1);
  });
});

t.test('at most two of 200 parallel attempts need no captcha', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const tried = await Promise.all(Array.from({ length: 200 }, () => host.countAttempt(ACCOUNT)));
    t.equal(tried.filter(({ before }) => before < host.options.escalation.after).length, 2);
  });
});

t.test('each operation is one store command', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const image = imageIssue();
  const steps: Record<string, [commands: number, run: () => Promise<unknown>]> = {
    'issue work': [1, () => challenges.issuePow(powIssue())],
    'issue effort': [1, () => challenges.issueEffort(effortIssue())],
    'issue an image': [1, () => challenges.issueImage(image)],
    'read an image': [1, () => challenges.readImage(image.token)],
    take: [1, () => challenges.take('image', image.token, newClaim())],
    'count a try': [1, () => host.countAttempt(ACCOUNT, ADDRESS)],
    'record a failure': [1, () => host.recordFailure(ACCOUNT)],
    standing: [1, () => host.attemptStatus(ACCOUNT, ADDRESS)],
    required: [1, () => host.requiredFor(ACCOUNT)],
    'say what the next attempt needs, and remember its price': [
      1,
      () => host.nextAttempt(ACCOUNT, 1, ADDRESS),
    ],
    'say what the next attempt needs without failures': [0, () => host.nextAttempt(ACCOUNT, 0, ADDRESS)],
    'clear an account': [1, () => host.clearFailures(ACCOUNT)],
    'clear an account and an address': [2, () => host.clearFailures(ACCOUNT, ADDRESS)],
  };
  for (const [, run] of Object.values(steps)) await run();
  for (const [name, [count, run]] of Object.entries(steps)) {
    const commands = await redis.commands(run);
    t.equal(commands.length, count, `${name}: ${commands.map((command) => command.split(' ')[0])}`);
  }
  const tried = await host.countAttempt(ACCOUNT, ADDRESS);
  await tried.withdraw();
  t.equal((await redis.commands(() => tried.withdraw())).length, 1);
});

// Parallel guesses on a guarded route: only the first few are counted and handled.

const PARALLEL = 200;
const email = 'someone@example.com';
const emailOf = (request: FastifyRequest) => (request.body as { email?: string }).email;

/** Opens a login route that accepts no password and counts its password checks. */
async function openSignIn(t: Test, store: Store) {
  const desk = openDesk(store, { input: cheap });
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  let looks = 0;
  app.post('/sign-in', { config: { guards: [pow({ key: emailOf })] } }, async (request, reply) => {
    const counted = await request.countAttempt();
    looks += 1;
    return reply.code(401).send({ before: counted.before, id: counted.id });
  });
  app.post('/from', { config: { guards: [pow({ key: emailOf, throttle: true })] } }, async (request) => {
    const { before, withdraw } = await request.countAttempt();
    await withdraw();
    return { before };
  });
  app.post('/twice', { config: { guards: [pow({ key: emailOf })] } }, async (request) => {
    const [one, other] = await Promise.all([request.countAttempt(), request.countAttempt()]);
    return { ids: [one.id, other.id], again: (await request.countAttempt()).id };
  });
  app.post('/ended', { config: { guards: [pow({ key: emailOf })] } }, async (request, reply) => {
    const attempt = await request.countAttempt();
    await attempt.succeeded();
    return reply.code(403).send({ message: 'Not today.' });
  });
  app.post('/unnamed', { config: { guards: [pow()] } }, async (request) => request.countAttempt());
  await app.ready();
  const post = async (path: string, payload: object) => {
    const response = await app.inject({ method: 'POST', url: path, payload });
    return { status: response.statusCode, json: response.json() };
  };
  const fields = async (ticket?: string) => {
    const { powToken, powNonce } = await desk.work(ticket === undefined ? {} : { ticket });
    return { pow_token: powToken, pow_nonce: powNonce };
  };
  return { app, post, fields, looks: () => looks };
}

t.test(
  'parallel guesses with work issued before the first failure: one reaches the password, the rest cost more',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { app, post, fields, looks } = await openSignIn(t, store);
      const prepared = await Promise.all(Array.from({ length: PARALLEL }, () => fields()));
      const answers = await Promise.all(prepared.map((work) => post('/sign-in', { email, ...work })));
      t.equal(looks(), 1);
      t.equal(answers.filter(({ status }) => status === 401).length, 1);
      const refused = answers.filter(({ status }) => status === 422);
      t.equal(refused.length, PARALLEL - 1);
      for (const { json } of refused)
        t.match(json, { code: 'pow_insufficient', captcha_required: false, pow_scope: String });
      t.equal((await app.captcha.attemptStatus(email)).failures, 1, 'what was refused is not counted');
    });
  },
);

t.test("parallel guesses with work at the account's price stop at the image requirement", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, fields, looks } = await openSignIn(t, store);
    await app.captcha.recordFailure(email);
    const { pow_scope: ticket } = await app.captcha.nextAttempt(email, 1);
    const prepared = await Promise.all(Array.from({ length: 20 }, () => fields(ticket)));
    const answers = await Promise.all(prepared.map((work) => post('/sign-in', { email, ...work })));
    t.equal(looks(), 1);
    const codes = new Set(answers.filter(({ status }) => status === 422).map(({ json }) => json.code));
    // Work verified before the counted attempt is rechecked as too cheap; the others need an image.
    for (const code of codes) t.match(code, /^(pow_insufficient|captcha_required)$/);
    t.equal((await app.captcha.attemptStatus(email)).failures, 2);
  });
});

t.test('a counted attempt can be withdrawn', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, fields } = await openSignIn(t, store);
    t.strictSame(await post('/from', { email, ...(await fields()) }), { status: 200, json: { before: 0 } });
    t.equal((await app.captcha.attemptStatus(email, '127.0.0.1')).failures, 0);
  });
});

t.test('counting an attempt without an account is 422, or 500 on a route without a key', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, fields } = await openSignIn(t, store);
    t.equal((await post('/unnamed', await fields())).status, 500);
    t.match(await post('/sign-in', await fields()), {
      status: 422,
      json: { code: 'validation_failed', errors: { body: [String] }, captcha_required: false },
    });
  });
});

t.test('a second call of countAttempt in one request counts nothing', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, fields } = await openSignIn(t, store);
    const { status, json } = await post('/twice', { email, ...(await fields()) });
    t.equal(status, 200);
    t.same(json.ids, [json.again, json.again]);
    t.equal((await app.captcha.attemptStatus(email)).failures, 1);
  });
});

t.test('a rejection after succeeded() states the requirements for an account without failures', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, fields } = await openSignIn(t, store);
    await app.captcha.recordFailure(email);
    const { pow_scope: ticket } = await app.captcha.nextAttempt(email, 1);
    t.match(await post('/ended', { email, ...(await fields(ticket)) }), {
      status: 403,
      json: { message: 'Not today.', captcha_required: false },
    });
    t.equal((await app.captcha.attemptStatus(email)).failures, 0);
  });
});

t.test("after five failures from one address the account's requests from it are throttled", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, fields } = await openSignIn(t, store);
    for (let failure = 0; failure < 5; failure++) {
      await app.captcha.countAttempt(email, '127.0.0.1');
    }
    const answer = await post('/from', { email, ...(await fields()) });
    t.match(answer, { status: 429, json: { code: 'login_throttled', captcha_required: false } });
    const { failures } = await app.captcha.attemptStatus(email);
    t.equal(failures, 5, 'what was refused is not counted');
  });
});

t.test('an attempt withdrawn by its id and address leaves no delay', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app } = await openSignIn(t, store);
    for (let attempt = 0; attempt < 5; attempt++) {
      const { id } = await app.captcha.countAttempt(email, '127.0.0.1');
      await app.captcha.withdrawFailure(email, id, '127.0.0.1');
    }
    t.match(await app.captcha.attemptStatus(email, '127.0.0.1'), { failures: 0, waitMs: 0 });
  });
});
