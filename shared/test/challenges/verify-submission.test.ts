// Verifying a proof of work, and malformed submissions.

import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { eachStore, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import type { ChallengeVerifier } from '../../src/challenges/challenge-verifier.js';
import { type Submission, submissionFrom, type VerifyContext } from '../../src/challenges/submission.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import {
  ADDRESS,
  address,
  challengesOn,
  hostOn,
  issuePicture,
  issueWork,
  OTHER_SECRET,
  powIssue,
  SECRET,
} from './fixtures.js';

const WORK: VerifyContext = { ip: ADDRESS, pow: true, image: 'offered' };
const unknown = { ok: false, code: 'pow_invalid', fields: { pow_nonce: ['wrong_work'] }, reason: 'unknown' };
const wrong = { ...unknown, algorithm: 'sha256', reason: 'wrong' };

t.test('solved work passes once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const work = await issueWork(challengesOn(store));
    t.match(await host.verify(work, WORK), { ok: true });
    t.strictSame(await host.verify(work, WORK), unknown);
  });
});

t.test('a well-formed wrong nonce consumes the challenge: the right one is then too late', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const work = await issueWork(challengesOn(store));
    const powNonce = findNonce(work.salt, work.difficulty, false);
    t.strictSame(await host.verify({ ...work, powNonce }, WORK), wrong);
    t.strictSame(await host.verify(work, WORK), unknown);
  });
});

t.test('a malformed nonce does not consume the challenge', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const work = await issueWork(challengesOn(store));
    for (const powNonce of [`0${work.powNonce}`, `+${work.powNonce}`, `${work.powNonce}.0`, '9'.repeat(25)]) {
      t.match(await host.verify({ ...work, powNonce }, WORK), { ok: false, reason: 'malformed' });
    }
    t.match(await host.verify(work, WORK), { ok: true });
  });
});

t.test('an unknown, foreign or expired token is rejected as unknown', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const host = hostOn(store);
    const work = await issueWork(challengesOn(store));
    t.strictSame(await host.verify({ ...work, powToken: 'A'.repeat(40) }, WORK), unknown);
    const [head, ...rest] = work.powToken;
    const swapped =
      (head === head?.toLowerCase() ? head?.toUpperCase() : head?.toLowerCase()) + rest.join('');
    if (swapped !== work.powToken)
      t.strictSame(await host.verify({ ...work, powToken: swapped }, WORK), unknown);
    await age(120_000);
    t.strictSame(await host.verify(work, WORK), unknown);
  });
});

t.test('digits moved between salt and nonce change the result', async (t) => {
  const { store } = embeddedStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const salt = `${'0123456789abcdef'.repeat(2).slice(0, 31)}7`;
  const issue = () => powIssue({}, { floor: 12 }, { salt });
  const solved = findNonce(salt, 12);
  for (const [powNonce, name] of [
    [`7${solved}`, "the salt's last digit before the nonce"],
    [solved.slice(1), "the nonce's first digit left to the salt"],
    [`${solved}0`, 'a digit behind'],
  ] as const) {
    const { powToken } = await issueWork(challenges, issue());
    t.notOk((await host.verify({ powToken, powNonce }, WORK)).ok, name);
  }
  const { powToken } = await issueWork(challenges, issue());
  t.match(await host.verify({ powToken, powNonce: solved }, WORK), { ok: true });
});

t.test(
  'work below the required difficulty is rejected, with any difficulty and algorithm in the request',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const challenges = challengesOn(store);
      const host = hostOn(store);
      const salt = '00112233445566778899aabbccddeeff';
      const issue = () => powIssue({}, { floor: 12 }, { salt });
      const easy = findNonce(salt, 8);
      t.not(easy, findNonce(salt, 12));
      const { powToken } = await issueWork(challenges, issue());
      const claims = { difficulty: 8, pow_difficulty: 8, algorithm: 'none', pow_algorithm: 'md5', salt: '' };
      const body = { ...claims, pow_token: powToken, pow_nonce: easy };
      t.strictSame(await host.verify(submissionFrom(body, host.fieldNames), WORK), wrong);
      for (const powNonce of ['0', '1']) {
        const zeroWork = { powToken: (await issueWork(challenges, issue())).powToken, powNonce };
        t.strictSame(await host.verify(zeroWork, WORK), wrong, 'no work at all');
      }
    });
  },
);

t.test('a record of another algorithm is never verified with this one', async (t) => {
  const { store } = embeddedStore(t);
  const issue = powIssue({}, {}, { algorithm: 'sha1' });
  t.strictSame(await hostOn(store).verify(await issueWork(challengesOn(store), issue), WORK), {
    ...unknown,
    algorithm: 'sha1',
  });
});

t.test('exactly one of 1,000 parallel submissions of one solved challenge succeeds', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const hosts = [hostOn(store), hostOn(store, {}, { name: 'another' })];
    const work = await issueWork(challengesOn(store));
    // In batches: a node that hashes a thousand solutions at once also delays its own commands too long.
    const verdicts: (Awaited<ReturnType<ChallengeVerifier['verify']>> | undefined)[] = [];
    for (let wave = 0; wave < 4; wave++) {
      const submissions = Array.from({ length: 250 }, (_, i) => hosts[i % 2]?.verify(work, WORK));
      verdicts.push(...(await Promise.all(submissions)));
    }
    t.equal(verdicts.filter((verdict) => verdict?.ok).length, 1);
  });
});

t.test('a verification is one command, and of both challenges two', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  await host.verify(await issueWork(challenges), WORK);
  const work = await issueWork(challenges);
  const commands = await redis.commands(() => host.verify(work, WORK));
  t.equal(commands.length, 1);
  t.match(commands[0], /^evalsha \S+ 1 captcha:pow:\{/);
});

t.test('with the rule switched off nothing is required and nothing is consumed', async (t) => {
  const { store, redis } = await redisStore(t);
  const host = hostOn(store, { pow: { enabled: false } });
  const work = await issueWork(challengesOn(store));
  const commands = await redis.commands(async () => {
    for (const submission of [{}, work, { powToken: 5, powNonce: '' }]) {
      t.match(await host.verify(submission, WORK), { ok: true });
    }
  });
  t.strictSame(commands, []);
  t.match(await hostOn(store).verify(work, WORK), { ok: true });
});

t.test('bound to an address, work passes only from it', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const host = hostOn(store, { bind_ip: true });
    const bound = () => issueWork(challenges, powIssue({}, {}, { address }));
    const elsewhere = { ...wrong, reason: 'other_address' };
    for (const ip of [ADDRESS, `::ffff:${ADDRESS}`, '::ffff:cb00:7107']) {
      t.match(await host.verify(await bound(), { ...WORK, ip }), { ok: true }, ip);
    }
    for (const ip of ['203.0.113.8', '::1', undefined, '', 'unknown']) {
      t.strictSame(await host.verify(await bound(), { ...WORK, ip }), elsewhere, String(ip));
    }
    const unbound = await issueWork(challenges);
    t.strictSame(await host.verify(unbound, WORK), elsewhere, 'a record without an address fails closed');
    t.match(
      await hostOn(store).verify(await bound(), { ...WORK, ip: '::1' }),
      { ok: true },
      'bind_ip is off',
    );
  });
});

t.test('work issued before a change of secrets is accepted, bound or not', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const bound = () => issueWork(challenges, powIssue({}, {}, { address }));
    const rotated = { keys: openKeyRing(`${OTHER_SECRET},${SECRET}`) };
    t.match(await hostOn(store, { bind_ip: true }, rotated).verify(await bound(), WORK), { ok: true });
    const dropped = { keys: openKeyRing(OTHER_SECRET) };
    t.match(await hostOn(store, {}, dropped).verify(await bound(), WORK), { ok: true });
    t.match(await hostOn(store, { bind_ip: true }, dropped).verify(await bound(), WORK), { ok: false });
  });
});

// Malformed submissions: rejected before any lookup.

const BOTH: VerifyContext = { ip: ADDRESS, pow: true, image: 'required' };
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
