// Verifying a proof of work: accepted, consumed, rejected.

import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { eachStore, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import type { ChallengeVerifier } from '../../src/challenges/challenge-verifier.js';
import { submissionFrom, type VerifyContext } from '../../src/challenges/submission.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import {
  ADDRESS,
  address,
  challengesOn,
  hostOn,
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
