// Guards with a list of accepted presets, and a minimum difficulty.

import { ANSWER, cheap, IP, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import { addressPseudonym, slotTag } from '../../../src/challenges/attempts/pseudonyms.js';
import { encodeVerifiedTail, formatAnswerRecord, makeToken } from '../../../src/challenges/store/records.js';
import { scrambleAnswer } from '../../../src/challenges/types/answer-hashing.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { captcha, type Guard, pow } from '../../../src/http/guard/guards.js';
import type { Store } from '../../../src/store/open-store.js';

const key = () => 'someone';

async function openForm(t: Test, store: Store, guards: readonly Guard[]) {
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
    const { post, image, effort } = await openForm(t, store, [captcha({ presets: ['large'] })]);
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
    const { post, effort } = await openForm(t, store, [captcha({ presets: ['large', 'effort'] })]);
    t.match(await post({}), {
      json: { captcha_alternatives: ['effort'], captcha_presets: ['large'] },
    });
    const { imageToken, imageAnswer } = await effort({ partDifficulty: 18 });
    t.equal((await post({ captcha_token: imageToken, captcha: imageAnswer })).status, 200);
  });
});

t.test('presets of pow({ key }) apply where failures require an image', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { app, post, image, host } = await openForm(t, store, [pow({ key, presets: ['large'] })]);
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
    const { post, work } = await openForm(t, store, [pow({ minDifficulty: 3 })]);
    t.match(await post(await work()), {
      status: 422,
      json: {
        code: 'pow_insufficient',
        errors: { pow_nonce: ['The security check was too easy for this form.'] },
        captcha_required: false,
        pow_min_difficulty: 3,
      },
    });
    t.equal((await (await openForm(t, store, [pow({ minDifficulty: 2 })])).post(await work())).status, 200);
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
      openForm(t, store, guards as never),
      new TypeError(`guards of POST /form ${words}`),
      name,
    );
  }
  for (const right of [[captcha], [captcha()], [captcha({}), pow()]]) {
    t.equal((await (await openForm(t, store, right)).post({})).status, 422);
  }
});
