// Effort in place of a required captcha, and an image in place of work.

import { ACCOUNT, cheap, IP, openDesk } from '@tollgate/test-support/issuing.js';
import { eachStore, embeddedStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import type { ChallengeStore } from '../../src/challenges/store/challenge-store.js';
import type { VerifyContext } from '../../src/challenges/submission.js';
import {
  ADDRESS,
  ANSWER,
  challengesOn,
  hostOn,
  imageIssue,
  issuePicture,
  issueWork,
  newClaim,
} from './fixtures.js';

const context = { ip: IP, pow: false, image: 'demanded' } as const;
const triedAfter = (failures: number) => ({ ...context, account: { key: ACCOUNT, failures } });

t.test('effort passes in place of a captcha, once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort } = openDesk(store);
    const { partDifficulty, ...answer } = await effort();
    t.equal(partDifficulty, 18);
    t.match(await host.verify(answer, triedAfter(2)), { ok: true, given: { image: true } });
    t.match(await host.verify(answer, triedAfter(2)), { code: 'captcha_invalid', reason: 'unknown' });
  });
});

t.test('a wrong part consumes it and reveals no more than a wrong captcha', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort } = openDesk(store);
    const right = await effort();
    const wrong = { ...right, imageAnswer: right.imageAnswer.replace(/^\d+/, '0') };
    const refused = { ok: false, code: 'captcha_invalid', fields: { captcha: ['wrong_answer'] } };
    t.strictSame(await host.verify(wrong, triedAfter(2)), { ...refused, reason: 'wrong' });
    t.strictSame(await host.verify(right, triedAfter(2)), { ...refused, reason: 'unknown' });
    const image = await effort();
    t.strictSame(await host.verify({ ...image, imageAnswer: 'k7mxqp' }, triedAfter(2)), {
      ...refused,
      reason: 'wrong',
    });
  });
});

t.test('effort has no minimum time: min_seconds is for images', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort, image } = openDesk(store, { input: { ...cheap, min_seconds: 60 } });
    t.match(await host.verify(await effort(), triedAfter(2)), { ok: true });
    t.match(await host.verify(await image(), triedAfter(2)), { reason: 'too_soon' });
  });
});

t.test('bind_ip applies to effort too', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, effort } = openDesk(store, { input: { ...cheap, bind_ip: true } });
    t.match(await host.verify(await effort(), triedAfter(2)), { ok: true });
    for (const ip of ['203.0.113.8', undefined]) {
      t.match(await host.verify(await effort(), { ...triedAfter(2), ip }), { reason: 'other_address' });
    }
    t.match(await host.verify(await effort({ ip: '2001:db8::1' }), { ...triedAfter(2), ip: '2001:db8::2' }), {
      ok: true,
    });
  });
});

t.test('after effort is switched off, issued effort is rejected', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const off = openDesk(store, { input: { ...cheap, effort: { enabled: false } } });
    t.match(await off.host.verify(await off.effort(), triedAfter(2)), { code: 'captcha_invalid' });
    t.notOk('captcha_alternatives' in (await off.host.nextAttempt(ACCOUNT, 5)));
  });
});

t.test('stockpiling: effort without a ticket, or of few failures, is rejected at a high price', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const input = { min_seconds: 0 };
    const { host, effort, ticket } = openDesk(store, { input });
    const plain = await effort();
    const early = await effort({ ticket: ticket() });
    const foreign = await effort({ ticket: ticket('other@example.com') });
    const late = await effort({ ticket: ticket(), partDifficulty: 20 });
    t.strictSame(
      [plain, early, foreign].map((each) => each.partDifficulty),
      [18, 18, 18],
    );
    // At five failures the account costs 24 bits, effort 28; a ticket needs only the price at three failures.
    const insufficient = { code: 'captcha_invalid', fields: { captcha: ['insufficient_work'] } };
    for (const each of [plain, early, foreign]) t.match(await host.verify(each, triedAfter(5)), insufficient);
    t.match(await host.verify(late, triedAfter(4)), { ok: true });
    t.match(await host.verify(await effort({ ticket: ticket() }), triedAfter(2)), { ok: true });
    t.match(await host.verify(await effort(), triedAfter(2)), insufficient, 'dearer by two failures');
  });
});

// An image in place of work, for forms without JavaScript (`no_script`).

const FORM: VerifyContext = { ip: ADDRESS, pow: true, image: 'escalating' };
const ON = { no_script: 'image' } as const;

/** An image requested by a page without JavaScript. */
async function aloneImage(challenges: ChallengeStore) {
  const issue = imageIssue({}, { alone: true });
  await challenges.recordImage(issue);
  return { imageToken: issue.token, imageAnswer: ANSWER };
}

t.test('an image requested in place of work replaces it, once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store, ON);
    for (const empty of [{}, { powToken: '', powNonce: '' }, { powToken: null }]) {
      const picture = { ...(await aloneImage(challengesOn(store))), ...empty };
      t.match(await host.verify(picture, FORM), { ok: true, given: { work: null, image: true } });
      t.match(await host.verify(picture, FORM), { ok: false, code: 'captcha_invalid', reason: 'unknown' });
    }
  });
});

t.test('without the option the work is missing, with any image', async (t) => {
  const { store } = embeddedStore(t);
  const picture = await aloneImage(challengesOn(store));
  t.match(await hostOn(store).verify(picture, FORM), {
    ok: false,
    code: 'pow_invalid',
    fields: { pow_token: ['required'], pow_nonce: ['required'] },
    reason: 'malformed',
  });
  t.ok((await hostOn(store, ON).verify(picture, FORM)).ok, 'and nothing was consumed');
});

t.test('an ordinary image does not suffice, nor does a wrong answer', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store, ON);
    const challenges = challengesOn(store);
    const refused = { ok: false, code: 'captcha_invalid', isUnproven: true };
    t.match(await host.verify(await issuePicture(challenges), FORM), refused);
    const picture = await aloneImage(challenges);
    t.match(await host.verify({ ...picture, imageAnswer: 'wrong' }, FORM), refused);
    t.match(await host.verify(picture, FORM), refused, 'a wrong answer consumes it');
    const demanded = { ...(await aloneImage(challenges)), ...(await issueWork(challenges)) };
    t.ok((await host.verify(demanded, { ...FORM, image: 'required' })).ok, 'beside work it is an image');
  });
});

t.test('a rejection requires an image, and says nothing about the account', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store, ON);
    for (let i = 0; i < 3; i++) await host.recordFailure(ACCOUNT);
    const account = host.attemptedAccount(ACCOUNT);
    const next = async (submission: object) => {
      const verdict = await host.verify(submission, { ...FORM, account });
      return { verdict, next: await host.nextAttemptAfter(verdict, { submission, account, ip: ADDRESS }) };
    };
    const empty = await next({});
    t.match(empty.verdict, {
      code: 'captcha_required',
      fields: { captcha_token: ['required'], captcha: ['required'] },
    });
    const wrong = await next({ ...(await aloneImage(challengesOn(store))), imageAnswer: 'wrong' });
    t.match(wrong.verdict, { code: 'captcha_invalid' });
    for (const answer of [empty, wrong]) {
      t.strictSame(answer.next, { captcha_required: true, captcha_alternatives: ['effort'] });
    }
    const right = await next(await aloneImage(challengesOn(store)));
    t.ok(right.verdict.ok);
    t.match(right.next, { captcha_required: true, pow_scope: /./ }, 'a right image was paid for');
  });
});

t.test('forms with harder work or other presets do not accept it', async (t) => {
  const { store } = embeddedStore(t);
  const host = hostOn(store, ON);
  const picture = () => aloneImage(challengesOn(store));
  t.match(await host.verify(await picture(), { ...FORM, minDifficulty: 18 }), { code: 'pow_invalid' });
  t.match(await host.verify(await picture(), { ...FORM, image: 'ignored' }), { code: 'pow_invalid' });
  t.match(await host.verify(await picture(), { ...FORM, presets: ['calm'] }), { code: 'preset_refused' });
  t.ok((await host.verify(await picture(), { ...FORM, presets: ['default'] })).ok);
  t.ok((await host.verify(await picture(), { ...FORM, image: 'required' })).ok);
});

t.test('submitted work is always verified, even with a right image', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        {
          powToken: fc.anything(),
          powNonce: fc.anything(),
          imageToken: fc.anything(),
          imageAnswer: fc.anything(),
        },
        { requiredKeys: [] },
      ),
      async (submission) => {
        const { store } = embeddedStore(t);
        const verdict = await hostOn(store, ON).verify(submission, FORM);
        t.equal(verdict.ok, false);
      },
    ),
    { numRuns: 30 },
  );
  const { store } = embeddedStore(t);
  const picture = await aloneImage(challengesOn(store));
  const work = { powToken: 'a'.repeat(40), powNonce: '1' };
  t.match(await hostOn(store, ON).verify({ ...picture, ...work }, FORM), { code: 'pow_invalid' });
  t.match(await hostOn(store, ON).verify({ ...picture, powNonce: '1' }, FORM), { code: 'pow_invalid' });
});

t.test(
  'one of parallel submissions of one image passes, and one of parallel requests for one token records it',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const challenges = challengesOn(store);
      const issue = imageIssue({}, { alone: true });
      const tails = Array.from({ length: 20 }, (_, seed) => imageIssue({}, { alone: true, seed }).recordTail);
      const records = await Promise.all(
        tails.map((recordTail) => challenges.recordImage({ ...issue, recordTail })),
      );
      t.equal(new Set(records).size, 1);
      t.equal(await challenges.readImage(issue.token), records[0]);
      await challenges.take('image', issue.token, newClaim());
      t.equal(await challenges.recordImage(issue), null, 'a token that has been used');

      const picture = await aloneImage(challenges);
      const verdicts = await Promise.all(tails.map(() => hostOn(store, ON).verify(picture, FORM)));
      t.equal(verdicts.filter(({ ok }) => ok).length, 1);
    });
  },
);
