// Client reaction to rejected submissions, tested against the real services.
import { createChallenge } from '@tollgate/client/challenge';
import { captcha, challengeGuard, type Guard, pow } from '@tollgate/fastify';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { startRealService } from './real-service.js';

const names = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gil', 'hal'];
const emails = names.map((name) => `${name}@example.com`);
const [ada = '', bob = '', cyd = '', dan = '', eve = '', fay = '', gil = '', hal = ''] = emails;
/** A client address with its own failure counts. */
const ELSEWHERE = '198.51.100.7';
const service = await startRealService(t, {}, emails);
const open = (options = {}) => createChallenge({ baseUrl: service.address, ...options });

t.beforeEach(() => {
  service.requested.length = 0;
});

// First, because the service remembers the price of a failing address, and the tests below cause failures.
t.test('pow_insufficient: the submission is repeated once automatically, with harder work', async (t) => {
  const other = open();
  await other.submit(service.signIn(dan, 'wrong', ELSEWHERE));
  other.close();
  const challenge = open();
  t.teardown(challenge.close);
  await challenge.refresh();
  service.requested.length = 0;
  const sent: Record<string, string>[] = [];
  const response = await challenge.submit((fields) => {
    sent.push(fields);
    return service.signIn(dan)(fields);
  });
  t.equal(response.status, 200);
  t.equal(sent.length, 2);
  t.not(sent[0]?.pow_token, sent[1]?.pow_token);
  await challenge.take();
  t.same(service.requested, ['/pow?scope=TICKET', '/pow'], 'the ticket is dropped with the success');
});

t.test('a form becomes ready automatically, is accepted, and gets new challenges', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  const seen = [challenge.status];
  challenge.subscribe(() => {
    if (challenge.status !== seen.at(-1)) seen.push(challenge.status);
  });
  const response = await challenge.submit(service.signIn(ada));
  t.equal(response.status, 200);
  const first = challenge.fields;
  const second = await challenge.take();
  t.same(first, {}, 'the old ones are dropped');
  t.same(Object.keys(second), ['pow_token', 'pow_nonce']);
  t.same(seen, ['solving', 'ready', 'idle', 'solving', 'ready', 'idle']);
  t.same(service.requested, ['/pow', '/pow']);
});

t.test('the image is shown when an error response requires it, and removed after the login', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  t.equal((await challenge.submit(service.signIn(bob, 'wrong'))).status, 422);
  t.match(challenge.state, { captchaRequired: false, captcha: null, alternatives: [] });
  const refusal = await challenge.submit(service.signIn(bob, 'wrong'));
  t.match(await refusal.json(), { code: 'login_failed', captcha_required: true }, 'the body is unread');
  t.match(challenge.state, { captchaRequired: true, alternatives: ['effort'] });

  await t.rejects(challenge.take(), { name: 'CaptchaUnansweredError', expired: false });
  t.match(challenge.state, { status: 'ready', captcha: { kind: 'image', expired: false } });
  const shown = challenge.state.captcha;
  challenge.setAnswer(service.answer());
  t.equal((await challenge.submit(service.signIn(bob, 'wrong'))).status, 422);
  t.same(challenge.state.captcha, shown, 'it stays visible until the next one arrives');
  t.same(challenge.fields, {}, 'but cannot be sent again');
  await challenge.refresh();
  t.not((challenge.state.captcha as { url: string }).url, (shown as { url: string }).url);

  challenge.setAnswer(` ${service.answer()} `);
  t.equal((await challenge.submit(service.signIn(bob))).status, 200);
  t.match(challenge.state, { captchaRequired: false, captcha: null, alternatives: [] });
  await challenge.take();
  t.same(service.requested, [
    '/pow',
    '/pow?scope=TICKET',
    '',
    '/pow?scope=TICKET',
    '',
    '/pow?scope=TICKET',
    '/pow',
  ]);
});

t.test('work replaces the image, and the person can return to an image', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  for (const _ of [1, 2]) await challenge.submit(service.signIn(cyd, 'wrong'));
  const parts: unknown[] = [];
  challenge.subscribe(() => {
    const { captcha } = challenge.state;
    if (captcha?.kind === 'effort') parts.push(captcha.part);
  });
  await challenge.chooseAlternative('effort');
  t.match(challenge.state, {
    status: 'ready',
    captcha: { kind: 'effort', part: 16, parts: 16, solved: true },
  });
  t.match(challenge.state.captcha, { progress: { difficulty: 18 } });
  t.same([...new Set(parts)], [...Array(17).keys()], 'each part is reported');
  t.equal(challenge.fields.captcha?.split('.').length, 16);

  await challenge.chooseAlternative('image');
  t.match(challenge.state, { status: 'ready', captcha: { kind: 'image' } });
  await challenge.chooseAlternative('effort');
  t.equal((await challenge.submit(service.signIn(cyd))).status, 200);
  t.match(challenge.state, { captchaRequired: false, captcha: null });
});

t.test('rejected effort is fetched again with the new ticket', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  for (const _ of [1, 2]) await challenge.submit(service.signIn(fay, 'wrong'));
  await challenge.chooseAlternative('effort');
  const sent = challenge.fields;
  t.equal((await challenge.submit(service.signIn(fay, 'wrong'))).status, 422);
  t.match(challenge.state, { captchaRequired: true });
  const fresh = await challenge.take();
  t.match(challenge.state.captcha, { kind: 'effort', solved: true });
  t.not(fresh.captcha_token, sent.captcha_token);
  t.equal((await service.signIn(fay)(fresh)).status, 200);
});

t.test('an application that requires harder work each time gets two submissions', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  let sent = 0;
  const refuse = async () => {
    sent += 1;
    return Response.json({ code: 'pow_insufficient' }, { status: 422 });
  };
  t.equal((await challenge.submit(refuse)).status, 422);
  t.equal(sent, 2);
  t.equal((await challenge.submit(refuse)).status, 422);
  t.equal(sent, 4, 'the next submission starts anew');
});

t.test('an unspent image is sent again with the harder work', async (t) => {
  const other = open();
  t.teardown(other.close);
  for (const _ of [1, 2]) await other.submit(service.signIn(eve, 'wrong', ELSEWHERE));
  const challenge = open();
  t.teardown(challenge.close);
  // Error response of an application that sends no tickets.
  await challenge.settle({ captcha_required: true });
  await t.rejects(challenge.take(), { name: 'CaptchaUnansweredError' });
  challenge.setAnswer(service.answer());
  const sent: Record<string, string>[] = [];
  const response = await challenge.submit((fields) => {
    sent.push(fields);
    return service.signIn(eve)(fields);
  });
  t.equal(response.status, 200);
  t.equal(sent.length, 2);
  const [first, second] = sent.map(({ captcha_token, captcha }) => ({ captcha_token, captcha }));
  t.same(first, second);
});

t.test('a mistake in another field costs no new image: the typed answer is sent again', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  for (const _ of [1, 2]) await challenge.submit(service.signIn(gil, 'wrong'));
  await challenge.refresh();
  const shown = challenge.state.captcha;
  challenge.setAnswer(service.answer());
  service.requested.length = 0;
  const refused = await challenge.submit(service.signIn(gil, 'x'.repeat(1025)));
  t.match(await refused.json(), { code: 'validation_failed', captcha_required: true });
  t.same(challenge.state.captcha, shown);
  t.equal((await challenge.submit(service.signIn(gil))).status, 200);
  t.same(service.requested, ['/pow?scope=TICKET'], 'and no image');
});

t.test('an image spent before the mistake was found is sent once in vain, then replaced', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  for (const _ of [1, 2]) await challenge.submit(service.signIn(hal, 'wrong'));
  await challenge.refresh();
  const shown = challenge.state.captcha;
  challenge.setAnswer(service.answer());
  // Error response of an application that validates its own field after the guard.
  await challenge.submit(async (fields) => {
    await service.signIn(hal, 'wrong')(fields);
    return Response.json({ code: 'validation_failed', captcha_required: true }, { status: 422 });
  });
  t.same(challenge.state.captcha, shown);
  const refused = await challenge.submit(service.signIn(hal));
  t.match(await refused.json(), { code: 'captcha_invalid', captcha_required: true });
  await t.rejects(challenge.take(), { name: 'CaptchaUnansweredError' });
  t.not((challenge.state.captcha as { url: string }).url, (shown as { url: string }).url);
  challenge.setAnswer(service.answer());
  t.equal((await challenge.submit(service.signIn(hal))).status, 200);
});

t.test('a response without a body from the service leaves the requirements unchanged', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  await challenge.settle({
    code: 'login_failed',
    captcha_required: true,
    pow_scope: 'a',
    captcha_alternatives: ['effort', 1],
  });
  t.match(challenge.state, { captchaRequired: true, alternatives: ['effort'] });
  for (const body of [undefined, 'text', 7, [], { captcha_required: 'yes' }]) await challenge.settle(body);
  t.match(challenge.state, { captchaRequired: true, alternatives: ['effort'] });
  await challenge.settle({ captcha_required: false });
  t.match(challenge.state, { captchaRequired: false, alternatives: [] });
  t.equal(challenge.state.captcha, null);
});

t.test('a submission that never arrives costs its challenges', async (t) => {
  const challenge = open();
  t.teardown(challenge.close);
  const sent: unknown[] = [];
  const fail = async (fields: unknown) => {
    sent.push(fields);
    throw new TypeError('no network');
  };
  await t.rejects(challenge.submit(fail), new TypeError('no network'));
  t.notMatch(await challenge.take(), sent[0] as object);
});

t.test('a form guarded by an image shows it from the start; one without work fetches none', async (t) => {
  const challenge = open({ image: 'always', pow: false });
  t.teardown(challenge.close);
  await challenge.refresh();
  t.match(challenge.state, {
    status: 'ready',
    captcha: { kind: 'image' },
    work: null,
    alternatives: ['effort'],
  });
  challenge.setAnswer('abc');
  t.same(Object.keys(await challenge.take()), ['captcha_token', 'captcha']);
  t.same(service.requested, ['']);
  t.same(challenge.fields, {}, 'what was taken cannot be sent again');
});

t.test('a form that checks no image never shows one', async (t) => {
  const challenge = open({ image: 'never', fields: { pow_token: 'a', pow_nonce: 'b' } });
  t.teardown(challenge.close);
  await challenge.settle({ captcha_required: true, captcha_alternatives: ['effort'] });
  t.same(Object.keys(await challenge.take()), ['a', 'b']);
  t.match(challenge.state, { captchaRequired: false, captcha: null, alternatives: [] });
});

t.test('a form that accepts only certain presets and harder work', async (t) => {
  const folder = tempDir(t);
  const service = await startRealService(t, {
    DATA_DIR: folder,
    CAPTCHA_PRESETS: '{ "large": { "picture": { "width": 400, "height": 130 } } }',
    CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256',
  });
  const environment = {
    CHALLENGE_SECRET: service.system.secrets.CHALLENGE_SECRET,
    STORE_URL: `file:${folder}/tollgate.db`,
    CAPTCHA_TEST_MODE: 'true',
    CAPTCHA_POW_DIFFICULTY: '1',
    CAPTCHA_POW_MAX_DIFFICULTY: '12',
    CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256',
    CAPTCHA_MIN_SECONDS: '0',
  };

  /** Opens an application with this form. @returns a function that submits it */
  async function openForm(t: Test, guards: readonly Guard[]) {
    const app = Fastify();
    t.teardown(() => app.close());
    await app.register(challengeGuard, { application: 'choosy', environment });
    app.post('/form', { config: { guards } }, async () => ({ ok: true }));
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    return (fields: Record<string, string>) =>
      fetch(`${address}/form`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(fields),
      });
  }

  t.test(
    'a client replaces insufficient work automatically, and shows an image that the form accepts',
    async (t) => {
      const send = await openForm(t, [captcha({ presets: ['large'] }), pow({ minDifficulty: 6 })]);
      const open = (options: object) =>
        createChallenge({ baseUrl: service.address, image: 'always', ...options });

      const untold = open({});
      t.teardown(untold.close);
      await untold.refresh();
      untold.setAnswer(service.answer());
      t.match(await (await untold.submit(send)).json(), {
        code: 'preset_refused',
        captcha_presets: ['large'],
        pow_min_difficulty: 6,
      });
      await untold.refresh();
      untold.setAnswer(service.answer());
      t.equal((await untold.submit(send)).status, 200);
      untold.close();

      service.requested.length = 0;
      const told = open({ preset: 'large', minDifficulty: 6 });
      t.teardown(told.close);
      await told.refresh();
      told.setAnswer(service.answer());
      t.equal((await told.submit(send)).status, 200);
      t.match(service.requested.slice(0, 2), ['?preset=large', '/pow?min_difficulty=6']);
    },
  );

  t.test(
    'after one rejection a client uses the difficulty and algorithm that the form requires',
    async (t) => {
      const send = await openForm(t, [pow({ atLeast: 11, algorithms: ['hashwx-1'] })]);
      const answers: Record<string, unknown>[] = [];
      const sent = async (fields: Record<string, string>) => {
        const answer = await send(fields);
        answers.push(await answer.clone().json());
        return answer;
      };
      service.requested.length = 0;
      const challenge = createChallenge({ baseUrl: service.address });
      t.teardown(challenge.close);
      t.equal((await challenge.submit(sent)).status, 200);
      t.match(answers, [
        { code: 'pow_insufficient', pow_min_difficulty: 11, pow_algorithms: ['hashwx-1'], pow_scope: String },
        { ok: true },
      ]);
      t.strictSame(service.requested.slice(0, 2), [
        '/pow',
        '/pow?scope=TICKET&min_difficulty=11&algorithms=hashwx-1',
      ]);
    },
  );
});
