// Malformed submissions: rejected before any lookup.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import { type Submission, submissionFrom, type VerifyContext } from '../../src/challenges/submission.js';
import { ADDRESS, challengesOn, hostOn, issuePicture, issueWork } from './fixtures.js';

const BOTH: VerifyContext = { ip: ADDRESS, pow: true, image: 'required' };
const WORK: VerifyContext = { ip: ADDRESS, pow: true, image: 'offered' };
const IMAGE: VerifyContext = { ip: ADDRESS, pow: false, image: 'required' };

/** Absent, empty, blank, and values of wrong types. */
const EMPTY: unknown[] = [undefined, null, '', ' ', '\t\n', 0, false, true, [], {}];

t.test('an unknown token with an empty answer never passes, in any combination of fields', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const host = hostOn(store);
    const right: Submission = { ...(await issueWork(challenges)), ...(await issuePicture(challenges)) };
    const passed: unknown[] = [];
    const perField = (value: unknown) => [value, ...EMPTY];
    for (const powToken of perField(right.powToken)) {
      for (const powNonce of perField(right.powNonce)) {
        for (const imageToken of perField(right.imageToken)) {
          for (const imageAnswer of perField(right.imageAnswer)) {
            const submission = { powToken, powNonce, imageToken, imageAnswer };
            if (Object.values(submission).every((value) => !EMPTY.includes(value))) continue;
            const verdict = await host.verify(submission, BOTH);
            if (verdict.ok || verdict.reason !== 'malformed') passed.push({ submission, verdict });
          }
        }
      }
    }
    t.strictSame(passed, []);
    t.match(await host.verify(right, BOTH), { ok: true }, 'and nothing was consumed by any of them');
  });
});

t.test(
  'junk floods cost nothing: no command of 10,000 malformed submissions reaches the store',
  async (t) => {
    const { store, redis } = await redisStore(t);
    const host = hostOn(store);
    const work = await issueWork(challengesOn(store));
    const junk = fc.oneof(
      fc.constantFrom(...EMPTY),
      fc.string().map((text) => `${text}x`),
      fc.string({ minLength: 41, maxLength: 60 }),
      fc.constantFrom('01', '-1', '+1', '1e9', '1.0', '0x1', '1'.repeat(25), '1'.repeat(10_000), '\u0661'),
      fc.constant([work.powToken]),
      fc.constant({ toString: 'x' }),
    );
    const submissions = fc.sample(fc.record({ powToken: junk, powNonce: junk }), {
      numRuns: 10_000,
      seed: 7,
    });
    const commands = await redis.commands(async () => {
      for (const { powToken, powNonce } of submissions) {
        const halves = [
          { powToken: work.powToken, powNonce },
          { powToken, powNonce: work.powNonce },
        ];
        for (const submission of [{ powToken, powNonce }, ...halves]) {
          const verdict = await host.verify(submission, WORK);
          if (verdict.ok || verdict.reason !== 'malformed')
            t.fail(`reached the store: ${JSON.stringify(submission)}`);
        }
      }
    });
    t.strictSame(commands, []);
    t.match(await host.verify(work, WORK), { ok: true }, 'the challenge was not consumed');
  },
);

t.test('very long tokens, nonces and answers are rejected before any work', async (t) => {
  const { store, redis } = await redisStore(t);
  const host = hostOn(store);
  const long = 'A'.repeat(1_000_000);
  const token = 'A'.repeat(40);
  const commands = await redis.commands(async () => {
    for (const submission of [
      { powToken: long, powNonce: '1' },
      { powToken: token, powNonce: '9'.repeat(1_000_000) },
    ]) {
      t.match(await host.verify(submission, WORK), { ok: false, reason: 'malformed' });
    }
    for (const submission of [
      { imageToken: long, imageAnswer: 'x' },
      { imageToken: token, imageAnswer: long },
      { imageToken: token, imageAnswer: 'x'.repeat(417) },
      { imageToken: token, imageAnswer: ' '.repeat(1_000_000) },
    ]) {
      t.match(await host.verify(submission, IMAGE), { ok: false, reason: 'malformed' });
    }
  });
  t.strictSame(commands, []);
});

t.test('a malformed token is rejected with any characters', async (t) => {
  const { store, redis } = await redisStore(t);
  const host = hostOn(store);
  const tokens = [
    'A'.repeat(39),
    'A'.repeat(41),
    `${'A'.repeat(39)} `,
    `${'A'.repeat(40)}\n`,
    `${'A'.repeat(39)}-`,
    `${'A'.repeat(39)}}`,
    `${'A'.repeat(39)}é`,
    `${'A'.repeat(39)}\0`,
    `{a}:${'A'.repeat(36)}`,
    '__proto__',
    'constructor',
  ];
  const commands = await redis.commands(async () => {
    for (const powToken of tokens) {
      t.match(
        await host.verify({ powToken, powNonce: '1' }, WORK),
        { code: 'pow_invalid', fields: { pow_token: ['malformed'] } },
        JSON.stringify(powToken),
      );
    }
  });
  t.strictSame(commands, []);
});

t.test('each missing or malformed field is named, by its configured name', async (t) => {
  const { store } = await redisStore(t);
  const token = 'A'.repeat(40);
  const plain = hostOn(store);
  t.strictSame(await plain.verify({}, BOTH), {
    ok: false,
    code: 'pow_invalid',
    reason: 'malformed',
    fields: {
      pow_token: ['required'],
      pow_nonce: ['required'],
      captcha_token: ['required'],
      captcha: ['required'],
    },
  });
  t.strictSame(
    await plain.verify({ powToken: token, powNonce: '1', imageToken: 5, imageAnswer: ' ' }, WORK),
    {
      ok: false,
      code: 'captcha_invalid',
      reason: 'malformed',
      fields: { captcha_token: ['malformed'], captcha: ['malformed'] },
    },
  );
  t.match(await plain.verify({ powToken: token, powNonce: '1', imageToken: token }, WORK), {
    code: 'captcha_invalid',
    fields: { captcha: ['required'] },
  });

  const renamed = hostOn(store, {
    pow: { fields: { token: 'work', nonce: 'work.number' } },
    fields: { token: 'picture', answer: 'characters' },
  });
  t.strictSame(Object.keys(((await renamed.verify({}, BOTH)) as { fields: object }).fields), [
    'work',
    'work.number',
    'picture',
    'characters',
  ]);
  const body = { work: 1, 'work.number': 2, picture: 3, characters: 4, pow_token: 5, captcha: 6 };
  t.strictSame(submissionFrom(body, renamed.fieldNames), {
    powToken: 1,
    powNonce: 2,
    imageToken: 3,
    imageAnswer: 4,
  });
});

t.test('fields are read from the body itself, never from its prototype', async (t) => {
  const { fieldNames } = hostOn((await redisStore(t)).store);
  const none = { powToken: undefined, powNonce: undefined, imageToken: undefined, imageAnswer: undefined };
  t.strictSame(submissionFrom(Object.create({ pow_token: 'x', captcha: 'x' }), fieldNames), none);
  for (const body of [undefined, null, 'pow_token', 5, true])
    t.strictSame(submissionFrom(body, fieldNames), {});
  t.strictSame(submissionFrom([], fieldNames), none);
});

t.test('checking the form does not read the store, and agrees with full verification', async (t) => {
  const { store, redis } = await redisStore(t);
  const host = hostOn(store);
  const token = 'A'.repeat(40);
  const formed = { powToken: token, powNonce: '1', imageToken: token, imageAnswer: 'x' };
  const commands = await redis.commands(async () => {
    t.equal(host.checkShape(formed, { pow: true, image: 'required' }), null);
    t.strictSame(host.checkShape({}, { pow: true, image: 'required' }), await host.verify({}, BOTH));
    t.equal(host.checkShape({}, { pow: false, image: 'demanded' }), null);
    t.equal(host.checkShape({ ...formed, imageToken: 1 }, { pow: true, image: 'ignored' }), null);
  });
  t.strictSame(commands, []);
});
