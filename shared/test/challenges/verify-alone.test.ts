// An image in place of work, for forms without JavaScript (`no_script`).

import { eachStore, embeddedStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import type { ChallengeStore } from '../../src/challenges/store/challenge-store.js';
import type { VerifyContext } from '../../src/challenges/submission.js';
import {
  ACCOUNT,
  ADDRESS,
  ANSWER,
  challengesOn,
  hostOn,
  imageIssue,
  issuePicture,
  issueWork,
  newClaim,
} from './fixtures.js';

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
