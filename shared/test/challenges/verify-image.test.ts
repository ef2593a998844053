// Verifying a captcha answer: alone, after the work, and overlong.

import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { ring as deskRing, openDesk } from '@tollgate/test-support/issuing.js';
import { eachKind, eachStore, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { addressPseudonym, slotTag } from '../../src/challenges/attempts/pseudonyms.js';
import {
  encodeVerifiedTail,
  makeToken,
  parseAnswerRecord,
  parseVerifiedRecord,
} from '../../src/challenges/store/records.js';
import type { VerifyContext } from '../../src/challenges/submission.js';
import { scrambleAnswer } from '../../src/challenges/types/answer-hashing.js';
import type { VerifiedType } from '../../src/challenges/types/challenge-type.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import {
  ADDRESS,
  ANSWER,
  address,
  challengesOn,
  DECAY_MS,
  hostOn,
  imageIssue,
  issuePicture,
  issueWork,
  newClaim,
  OTHER_SECRET,
  ring,
  SECRET,
} from './fixtures.js';

const IMAGE: VerifyContext = { ip: ADDRESS, pow: false, image: 'required' };
const BOTH: VerifyContext = { ip: ADDRESS, pow: true, image: 'required' };
const DEMANDED: VerifyContext = { ...BOTH, image: 'demanded' };
const OFFERED: VerifyContext = { ...BOTH, image: 'offered' };

const refused = (reason: string) => ({
  ok: false,
  code: 'captcha_invalid',
  fields: { captcha: ['wrong_answer'] },
  reason,
});

t.test('the right answer passes once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const picture = await issuePicture(challengesOn(store));
    t.match(await host.verify(picture, IMAGE), { ok: true });
    t.strictSame(await host.verify(picture, IMAGE), refused('unknown'));
  });
});

t.test('a wrong answer consumes the captcha: the right one is then too late', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const picture = await issuePicture(challengesOn(store));
    t.strictSame(await host.verify({ ...picture, imageAnswer: `${ANSWER}x` }, IMAGE), refused('wrong'));
    t.strictSame(await host.verify(picture, IMAGE), refused('unknown'));
  });
});

t.test(
  'white space around the answer makes no difference, nor do capitals where case is ignored',
  async (t) => {
    const { store } = embeddedStore(t);
    const challenges = challengesOn(store);
    const host = hostOn(store);
    const verdictOn = async (imageAnswer: string, fold: boolean) => {
      const picture = await issuePicture(challenges, imageIssue({}, { fold }));
      return (await host.verify({ ...picture, imageAnswer }, IMAGE)).ok;
    };
    for (const answer of [ANSWER, ` ${ANSWER}\n`, `\u00a0${ANSWER}\u3000`]) {
      t.ok(await verdictOn(answer, true));
      t.ok(await verdictOn(answer, false));
    }
    for (const answer of [ANSWER.toUpperCase(), 'K7mxqP']) {
      t.ok(await verdictOn(answer, true));
      t.notOk(await verdictOn(answer, false));
    }
    for (const answer of ['k7mxq', 'k7mxqpp', 'k7mxqp\0', '\u200e', ' '])
      t.notOk(await verdictOn(answer, true));
  },
);

t.test('characters that a keyboard adds do not make an answer wrong', async (t) => {
  const { store } = embeddedStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const typed = {
    'full-width letters and digits': 'ｋ７ｍｘｑｐ',
    'spaces between groups': 'k7m xqp',
    'a direction mark before': '\u200fk7mxqp',
    'a zero-width space inside': 'k7m\u200bxqp',
    'a byte order mark before': '\ufeffk7mxqp',
    'a soft hyphen inside': 'k7m\u00adxqp',
    'a variation selector': 'k7mxqp\ufe0f',
  };
  for (const [name, imageAnswer] of Object.entries(typed)) {
    for (const fold of [true, false]) {
      const picture = await issuePicture(challenges, imageIssue({}, { fold }));
      t.ok((await host.verify({ ...picture, imageAnswer }, IMAGE)).ok, name);
    }
  }
});

t.test('an answer before the minimum time fails and consumes the captcha', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const host = hostOn(store, { min_seconds: 1.5 });
    const early = await issuePicture(challenges);
    const late = await issuePicture(challenges);
    t.strictSame(await host.verify(early, IMAGE), refused('too_soon'));
    await age(1500);
    t.strictSame(await host.verify(early, IMAGE), refused('unknown'));
    t.match(await host.verify(late, IMAGE), { ok: true });
    const atOnce = await issuePicture(challenges);
    t.match(await hostOn(store, { min_seconds: 0 }).verify(atOnce, IMAGE), { ok: true }, 'switched off');
  });
});

t.test('work has no minimum time', async (t) => {
  const { store } = embeddedStore(t);
  const host = hostOn(store, { min_seconds: 60 });
  t.match(await host.verify(await issueWork(challengesOn(store)), OFFERED), { ok: true });
});

t.test('bound to an address, a captcha can be answered only from it, IPv6 by its /64', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const host = hostOn(store, { bind_ip: true });
    const boundTo = (name: string | null) => issuePicture(challenges, imageIssue({}, { address: name }));
    const network = addressPseudonym(ring.current, '2001:db8:0:7::/64');
    for (const ip of ['2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:0DB8:0:0007::']) {
      t.match(await host.verify(await boundTo(network), { ...IMAGE, ip }), { ok: true }, ip);
    }
    for (const ip of ['2001:db8:0:8::1', ADDRESS, undefined]) {
      t.strictSame(
        await host.verify(await boundTo(network), { ...IMAGE, ip }),
        refused('other_address'),
        String(ip),
      );
    }
    t.match(await host.verify(await boundTo(address), { ...IMAGE, ip: `::ffff:${ADDRESS}` }), {
      ok: true,
    });
    t.strictSame(
      await host.verify(await boundTo(null), IMAGE),
      refused('other_address'),
      'without an address',
    );
  });
});

t.test("wrong work does not consume the submission's captcha", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const host = hostOn(store);
    const work = await issueWork(challenges);
    const picture = await issuePicture(challenges);
    const powNonce = findNonce(work.salt, work.difficulty, false);
    for (const context of [BOTH, DEMANDED, OFFERED]) {
      t.match(await host.verify({ ...work, ...picture, powNonce }, context), {
        ok: false,
        code: 'pow_invalid',
      });
    }
    t.match(await host.verify({ ...(await issueWork(challenges)), ...picture }, BOTH), { ok: true });
  });
});

t.test('a missing captcha is rejected after the work is verified', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  await host.verify(await issueWork(challenges), OFFERED);
  const work = await issueWork(challenges);
  const powNonce = findNonce(work.salt, work.difficulty, false);
  t.match(await host.verify({ ...work, powNonce }, DEMANDED), { ok: false, code: 'pow_invalid' });

  const solved = await issueWork(challenges);
  const commands = await redis.commands(async () => {
    t.strictSame(await host.verify(solved, DEMANDED), {
      ok: false,
      code: 'captcha_required',
      fields: { captcha_token: ['required'], captcha: ['required'] },
      reason: 'missing',
    });
  });
  t.equal(commands.length, 1, 'the work was taken');
  t.match(await host.verify(solved, OFFERED), { ok: false, reason: 'unknown' }, 'and is consumed');
});

t.test('a submitted captcha is verified even if none is required', async (t) => {
  const { store } = embeddedStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const picture = await issuePicture(challenges);
  const submission = { ...(await issueWork(challenges)), ...picture, imageAnswer: 'wrong' };
  t.strictSame(await host.verify(submission, OFFERED), refused('wrong'));
  const ignored = { ...(await issueWork(challenges)), ...picture };
  t.match(await host.verify(ignored, { ...OFFERED, image: 'ignored' }), { ok: true });
});

t.test('unfilled fields are no captcha: empty, null and missing are equivalent', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const host = hostOn(store);
    const verdictOn = async (context: VerifyContext, blank: object) => {
      const work = await issueWork(challenges);
      const first = await host.verify({ ...work, ...blank }, context);
      const again = await host.verify({ ...work, ...(await issuePicture(challenges)) }, OFFERED);
      return { first, consumed: !again.ok };
    };
    const expected = (code: string, reason: string, fields: object) => ({ ok: false, code, fields, reason });
    const absent = { captcha_token: ['required'], captcha: ['required'] };
    for (const imageToken of [undefined, null, '']) {
      for (const imageAnswer of [undefined, null, '']) {
        const blank = { imageToken, imageAnswer };
        const name = JSON.stringify([imageToken ?? String(imageToken), imageAnswer ?? String(imageAnswer)]);
        t.match(await verdictOn(OFFERED, blank), { first: { ok: true }, consumed: true }, `offered ${name}`);
        t.strictSame(
          await verdictOn(DEMANDED, blank),
          {
            first: expected('captcha_required', 'missing', absent),
            consumed: true,
          },
          `demanded ${name}`,
        );
        t.strictSame(
          await verdictOn(BOTH, blank),
          { first: expected('captcha_invalid', 'malformed', absent), consumed: false },
          `required ${name}`,
        );
      }
    }
    const half = { imageToken: 'A'.repeat(40), imageAnswer: '' };
    for (const context of [OFFERED, DEMANDED, BOTH]) {
      t.strictSame(await verdictOn(context, half), {
        first: expected('captcha_invalid', 'malformed', { captcha: ['required'] }),
        consumed: false,
      });
    }
  });
});

t.test("an answer cannot be computed from the store's content with another secret", async (t) => {
  const { store } = embeddedStore(t);
  const challenges = challengesOn(store);
  const other = openKeyRing(OTHER_SECRET);
  const issue = imageIssue();
  await challenges.issueImage(issue);
  const line = parseVerifiedRecord((await challenges.readImage(issue.token)) ?? '');
  const record = parseAnswerRecord(line?.rest ?? '');
  const guess = (keys: typeof ring) => scrambleAnswer(keys.current, issue.token, ANSWER);
  t.equal(record?.answer, guess(ring));
  t.not(record?.answer, guess(other));
  t.not(record?.answer, scrambleAnswer(ring.current, imageIssue().token, ANSWER), 'nor of another token');

  const picture = { imageToken: issue.token, imageAnswer: ANSWER };
  t.strictSame(await hostOn(store, {}, { keys: other }).verify(picture, IMAGE), refused('unknown'));
  const relabelled = await issuePicture(challenges, imageIssue({}, { keyId: other.current.id }));
  t.strictSame(await hostOn(store, {}, { keys: other }).verify(relabelled, IMAGE), refused('wrong'));
});

t.test('a hashed answer equals the keyed hash of another implementation', async (t) => {
  // Computed with Python's cryptography (HKDF) and hmac: token of 40 A, answer abc234.
  const key = openKeyRing('first-secret-of-32-characters-xx').current;
  t.equal(scrambleAnswer(key, 'A'.repeat(40), 'abc234'), 'e335f48f7b9cdea047ddc76992105bfc');
});

t.test('an image issued before a change of secrets is accepted until the old one is removed', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const bound = () => issuePicture(challenges, imageIssue({}, { address }));
    const hostWith = (secrets: string) => hostOn(store, { bind_ip: true }, { keys: openKeyRing(secrets) });
    t.match(await hostWith(`${SECRET},${OTHER_SECRET}`).verify(await bound(), IMAGE), { ok: true });
    t.match(await hostWith(`${OTHER_SECRET},${SECRET}`).verify(await bound(), IMAGE), { ok: true });
    t.strictSame(await hostWith(OTHER_SECRET).verify(await bound(), IMAGE), refused('unknown'));
  });
});

t.test('an answered captcha can no longer be drawn', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const picture = await issuePicture(challenges);
    await hostOn(store).verify(picture, IMAGE);
    t.equal(await challenges.readImage(picture.imageToken), null);
    t.equal(await challenges.take('image', picture.imageToken, newClaim()), null);
  });
});

// An answer that is too long for its challenge type consumes nothing.

const odd: VerifiedType = {
  name: 'odd',
  maxAnswerCharacters: 8,
  hasMinimumTime: false,
  verify: (_rest, answer) => (answer.trim() === '2 5' ? 'right' : 'wrong'),
};

t.test(
  'an overlong answer to a type that verifies its own answers does not consume its challenge',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const { challenges, host } = openDesk(store, { kinds: [odd] });
      const token = makeToken(slotTag(address));
      await challenges.issueImage({
        token,
        address,
        limit: { max: 10, windowMs: DECAY_MS },
        recordTail: encodeVerifiedTail({
          verifiedBy: 'verify',
          type: 'odd',
          keyId: deskRing.current.id,
          address: null,
          rest: '-',
        }),
        expireSeconds: 120,
      });
      for (const imageAnswer of ['2 5      ', 'x'.repeat(400)]) {
        t.match(await host.verify({ imageToken: token, imageAnswer }, IMAGE), {
          ok: false,
          code: 'captcha_invalid',
          fields: { captcha: ['wrong_answer'] },
        });
      }
      t.match(await host.verify({ imageToken: token, imageAnswer: '2 5' }, IMAGE), { ok: true });
      t.match(await host.verify({ imageToken: token, imageAnswer: '2 5' }, IMAGE), { ok: false });
    });
  },
);

t.test('an answer as long as effort does not consume a captcha', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, image } = openDesk(store);
    const { imageToken } = await image();
    const long = { imageToken, imageAnswer: ANSWER.padEnd(65) };
    t.match(await host.verify(long, IMAGE), { ok: false, code: 'captcha_invalid' });
    t.match(await host.verify({ imageToken, imageAnswer: ANSWER.padEnd(64) }, IMAGE), { ok: true });
  });
});
