// Requirements of a form: at least so much work, algorithms, accepted presets, a minimum difficulty.

import { ANSWER, cheap, IP, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import { type Demand, presetMark } from '../../../src/challenges/attempts/demand.js';
import { addressPseudonym, slotTag } from '../../../src/challenges/attempts/pseudonyms.js';
import { openTicket } from '../../../src/challenges/attempts/scope-ticket.js';
import { encodeVerifiedTail, formatAnswerRecord, makeToken } from '../../../src/challenges/store/records.js';
import { scrambleAnswer } from '../../../src/challenges/types/answer-hashing.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { captcha, type Guard, pow } from '../../../src/http/guard/guards.js';
import type { CaptchaOptionsInput } from '../../../src/schemas/captcha-options.js';
import type { Store } from '../../../src/store/open-store.js';

const key = () => 'someone';
const withWork = (pow: object): CaptchaOptionsInput => ({ ...cheap, pow: { ...cheap.pow, ...pow } });
const both = withWork({ algorithms: 'hashwx-1,sha256' });

async function openForm(t: Test, store: Store, guards: readonly Guard[], input = cheap) {
  const desk = openDesk(store, { input });
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  app.post('/form', { config: { guards } }, async () => ({ ok: true }));
  const post = async (payload: object = {}) => {
    const answer = await app.inject({ method: 'POST', url: '/form', payload, remoteAddress: IP });
    return { status: answer.statusCode, json: answer.json() };
  };
  const work = async (ticket?: string) => {
    const { powToken, powNonce, difficulty } = await desk.work({ ticket });
    return { fields: { pow_token: powToken, pow_nonce: powNonce }, difficulty };
  };
  return { ...desk, app, post, work };
}

/** The requirements in a ticket. */
function demandIn(ticket: string): Demand | null | undefined {
  return openTicket(ring, ticket, Date.now())?.demand;
}

t.test('after a rejection the next work passes at once: with the ticket, and without one', async (t) => {
  await eachKind(t, async (t, { store }) => {
    for (const guards of [[pow({ atLeast: 6 })], [pow({ key, atLeast: 6 })], [pow({ minDifficulty: 6 })]]) {
      const { post, work, challenges } = await openForm(t, store, guards);
      const refused = await post((await work()).fields);
      t.match(refused, { status: 422, json: { code: 'pow_insufficient', pow_min_difficulty: 6 } });
      const ticketed = await work(refused.json.pow_scope);
      t.equal(ticketed.difficulty, 6);
      t.equal((await post(ticketed.fields)).status, 200);
      const plain = await work();
      t.equal(plain.difficulty, 6, 'the address remembers the demand: no ticket is cheaper');
      t.equal((await post(plain.fields)).status, 200);
      await challenges.clearAddress(addressPseudonym(ring.current, IP), 1);
    }
  });
});

t.test('of failures and a minimum the higher counts, and they are not added', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, work } = await openForm(t, store, [pow({ key, atLeast: 5 })]);
    await app.captcha.recordFailure('someone');
    const first = (await post((await work()).fields)).json;
    t.equal((await work(first.pow_scope)).difficulty, 5, '2 bits of the floor and 2 of a failure are less');
    for (let times = 0; times < 2; times++) await app.captcha.recordFailure('someone');
    t.equal((await work(first.pow_scope)).difficulty, 8);
  });
});

t.test("a ticket with requirements alone does not reduce an account's price", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, work, host } = await openForm(t, store, [pow({ atLeast: 1 })]);
    const { pow_scope: ticket } = (await post()).json;
    t.strictSame(demandIn(ticket), { bits: 1, algorithms: null, preset: null });
    t.equal(openTicket(ring, ticket, Date.now())?.scope, null);
    await host.nextAttempt('someone', 3, IP);
    t.equal((await work(ticket)).difficulty, 8, 'what the address remembers still counts');
  });
});

t.test('work in an algorithm that the form does not accept is rejected and consumed', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, work } = await openForm(t, store, [pow({ algorithms: ['hashwx-1'] })], both);
    const { fields } = await work();
    const refused = await post(fields);
    t.match(refused, {
      status: 422,
      json: {
        code: 'pow_insufficient',
        errors: { pow_nonce: ['This form does not accept this kind of security check.'] },
        pow_algorithms: ['hashwx-1'],
      },
    });
    t.strictSame(demandIn(refused.json.pow_scope), { bits: 0, algorithms: ['hashwx-1'], preset: null });
    t.match(await post(fields), { json: { code: 'pow_invalid', pow_algorithms: ['hashwx-1'] } });
    const open = await openForm(t, store, [pow({ algorithms: ['sha256', 'hashwx-1'] })], both);
    t.equal((await open.post((await work()).fields)).status, 200);
  });
});

t.test('effort in an algorithm that the form does not accept is rejected like its work', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const guards = [captcha, pow({ algorithms: ['hashwx-1'] })];
    const { effort, host } = await openForm(t, store, guards, both);
    const solved = await effort({ partDifficulty: 18 });
    const context = { ip: undefined, pow: false, image: 'required' } as const;
    t.match(await host.verify(solved, { ...context, algorithms: ['hashwx-1'] }), {
      code: 'captcha_invalid',
      reason: 'insufficient',
    });
    const again = await effort({ partDifficulty: 18 });
    t.match(await host.verify(again, { ...context, algorithms: ['sha256'] }), { ok: true });
  });
});

t.test('the ticket names the preset; a form without work has no ticket', async (t) => {
  const { store } = embeddedStore(t);
  const { post } = await openForm(t, store, [captcha, pow({ preset: 'large' })]);
  const { json } = await post();
  t.match(json, { captcha_presets: ['large'], captcha_required: true });
  t.notOk('captcha_alternatives' in json, 'effort is not in the list');
  t.equal(demandIn(json.pow_scope)?.preset, presetMark('large'));
  const picture = await openForm(t, store, [captcha({ preset: 'large' })]);
  t.match((await picture.post()).json, { captcha_presets: ['large'], pow_scope: undefined });
});

t.test("without right work a form's rejections name no account and include no ticket", async (t) => {
  const { store } = embeddedStore(t);
  const { post } = await openForm(t, store, [pow({ key, atLeast: 6 })]);
  t.strictSame(Object.keys((await post()).json).sort(), [
    ...['captcha_required', 'code', 'errors', 'message', 'pow_min_difficulty'],
  ]);
});

t.test("with tickets off there are none, and the address remembers the form's requirements", async (t) => {
  const { store } = embeddedStore(t);
  const off = withWork({ escalate: false });
  const { post, work } = await openForm(t, store, [pow({ key, atLeast: 6 })], off);
  const refused = await post((await work()).fields);
  t.match(refused.json, { code: 'pow_insufficient', pow_scope: undefined });
  t.equal((await post((await work()).fields)).status, 200);
});

t.test('an image alone does not pass a form that requires an algorithm', async (t) => {
  const { store } = embeddedStore(t);
  const { host, image } = await openForm(t, store, [pow()], { ...both, no_script: 'image' });
  const context = { ip: undefined, pow: true, image: 'offered', algorithms: ['sha256'] } as const;
  t.match(await host.verify(await image(), context), { code: 'pow_invalid' });
});

t.test('invalid requirements stop the start', async (t) => {
  const { store } = embeddedStore(t);
  const wrong: [Guard[], string][] = [
    [[pow({ atLeast: 0 })], 'must have a whole number from 1 to 14 as atLeast: element 1'],
    [[pow({ atLeast: 15 })], 'must have a whole number from 1 to 14 as atLeast: element 1'],
    [
      [pow({ atLeast: 3, minDifficulty: 3 })],
      'must have atLeast alone: minDifficulty is its older name: element 1',
    ],
    ...[['hashwx-1'], ['md5'], [], 'sha256'].map((algorithms): [Guard[], string] => [
      [pow({ algorithms: algorithms as never })],
      'must have a list of algorithms that CAPTCHA_POW_ALGORITHMS accepts as algorithms: element 1',
    ]),
    [[captcha({ preset: '../x' })], 'must have the name of a preset as preset: element 1'],
    [[captcha({ preset: 'a', presets: ['a'] })], 'must have preset or presets, not both: element 1'],
    [
      [pow({ preset: 'a' })],
      'must have a key beside the presets of pow(): without one it never requires an image',
    ],
    [[captcha({ preset: 'a' }), pow({ preset: 'b' })], 'must name presets once'],
  ];
  for (const [guards, words] of wrong) {
    await t.rejects(openForm(t, store, guards), new TypeError(`guards of POST /form ${words}`), words);
  }
});

// Guards with a list of accepted presets, and a minimum difficulty.

async function openPresetForm(t: Test, store: Store, guards: readonly Guard[]) {
  const desk = openDesk(store, { input: cheap });
  const app: FastifyInstance = Fastify();
  t.teardown(() => app.close());
  await app.register(guard, { store: desk.challenges, ring, options: desk.options, application: 'tests' });
  app.post('/form', { config: { guards } }, async () => ({ ok: true }));
  const post = async (payload: object) => {
    const answer = await app.inject({ method: 'POST', url: '/form', payload });
    return { status: answer.statusCode, json: answer.json() };
  };
  const image = async (preset: string) => {
    const address = addressPseudonym(ring.current, IP);
    const token = makeToken(slotTag(address));
    const answer = scrambleAnswer(ring.current, token, ANSWER);
    const rest = formatAnswerRecord({ preset, driver: 'none', seed: 1, fold: true, answer });
    await desk.challenges.issueImage({
      token,
      address,
      limit: { max: 1000, windowMs: 60_000 },
      recordTail: encodeVerifiedTail({
        verifiedBy: 'answer',
        type: 'text',
        keyId: ring.current.id,
        address: null,
        rest,
      }),
      expireSeconds: 120,
    });
    return { captcha_token: token, captcha: ANSWER };
  };
  const work = async () => {
    const { powToken, powNonce } = await desk.work();
    return { pow_token: powToken, pow_nonce: powNonce };
  };
  return { ...desk, app, post, image, work };
}

t.test('the rejection of an image with an unaccepted preset names the accepted ones', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, image, effort } = await openPresetForm(t, store, [captcha({ presets: ['large'] })]);
    const refused = {
      status: 422,
      json: {
        captcha_required: true,
        captcha_presets: ['large'],
        message: 'Please complete the additional check that this form requires.',
        code: 'preset_refused',
        errors: { captcha_token: ['This is not the additional check that this form requires.'] },
      },
    };
    t.strictSame(await post(await image('default@01234567')), refused);
    t.strictSame(await post(await image('larger@01234567')), refused);
    const { imageToken, imageAnswer } = await effort({ partDifficulty: 18 });
    t.strictSame(await post({ captcha_token: imageToken, captcha: imageAnswer }), refused);
    const right = await image('large@01234567');
    t.equal((await post(right)).status, 200);
    t.match(await post({}), { json: { code: 'captcha_invalid', captcha_presets: ['large'] } });
  });
});

t.test('effort is a preset that a form can accept', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, effort } = await openPresetForm(t, store, [captcha({ presets: ['large', 'effort'] })]);
    t.match(await post({}), {
      json: { captcha_alternatives: ['effort'], captcha_presets: ['large'] },
    });
    const { imageToken, imageAnswer } = await effort({ partDifficulty: 18 });
    t.equal((await post({ captcha_token: imageToken, captcha: imageAnswer })).status, 200);
  });
});

t.test('presets of pow({ key }) apply where failures require an image', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, image, host } = await openPresetForm(t, store, [pow({ key, presets: ['large'] })]);
    await app.captcha.recordFailure('someone');
    await app.captcha.recordFailure('someone');
    const scoped = async () => {
      const ticket = (await host.nextAttempt('someone', 2)).pow_scope;
      const { powToken, powNonce } = await openDesk(store, { input: cheap }).work({ ticket });
      return { pow_token: powToken, pow_nonce: powNonce };
    };
    t.match(await post({ ...(await scoped()), ...(await image('default@01234567')) }), {
      status: 422,
      json: { code: 'preset_refused', captcha_required: true, captcha_presets: ['large'] },
    });
    t.equal((await post({ ...(await scoped()), ...(await image('large@01234567')) })).status, 200);
  });
});

t.test("work below a form's minimum is rejected, and the response states the minimum", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { post, work } = await openPresetForm(t, store, [pow({ minDifficulty: 3 })]);
    t.match(await post(await work()), {
      status: 422,
      json: {
        code: 'pow_insufficient',
        errors: { pow_nonce: ['The security check was too easy for this form.'] },
        captcha_required: false,
        pow_min_difficulty: 3,
      },
    });
    t.equal(
      (await (await openPresetForm(t, store, [pow({ minDifficulty: 2 })])).post(await work())).status,
      200,
    );
  });
});

t.test('invalid rules stop the start', async (t) => {
  const { store } = embeddedStore(t);
  const wrong: [string, unknown, string][] = [
    ['no presets', [captcha({ presets: [] })], 'must have a list of names of presets as presets: element 1'],
    [
      'one name',
      [captcha({ presets: 'large' as never })],
      'must have a list of names of presets as presets: element 1',
    ],
    [
      'a path',
      [pow({ key, presets: ['../x'] })],
      'must have a list of names of presets as presets: element 1',
    ],
    [
      'no bits',
      [pow({ minDifficulty: 0 })],
      'must have a whole number from 1 to 14 as minDifficulty: element 1',
    ],
    [
      'bits as text',
      [pow({ minDifficulty: '8' as never })],
      'must have a whole number from 1 to 14 as minDifficulty: element 1',
    ],
    [
      'too many bits',
      [captcha, pow({ minDifficulty: 15 })],
      'must have a whole number from 1 to 14 as minDifficulty: element 2',
    ],
    [
      'presets without a key',
      [pow({ presets: ['a'] })],
      'must have a key beside the presets of pow(): without one it never requires an image',
    ],
    ['presets twice', [captcha({ presets: ['a'] }), pow({ key, presets: ['b'] })], 'must name presets once'],
    [
      'a key of an image',
      [captcha({ key } as never)],
      'must be a list of captcha and pow(): element 1 is neither',
    ],
    ['another function', [() => captcha], 'must be a list of captcha and pow(): element 1 is neither'],
  ];
  for (const [name, guards, words] of wrong) {
    await t.rejects(
      openPresetForm(t, store, guards as never),
      new TypeError(`guards of POST /form ${words}`),
      name,
    );
  }
  for (const right of [[captcha], [captcha()], [captcha({}), pow()]]) {
    t.equal((await (await openPresetForm(t, store, right)).post({})).status, 422);
  }
});
