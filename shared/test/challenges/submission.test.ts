// Submission fields, their errors, and verdict texts.

import fc from 'fast-check';
import t from 'tap';
import {
  countedKey,
  failed,
  failuresOf,
  hasRightWork,
  idempotentClaim,
  imageMissing,
  imageProblems,
  malformed,
  mayReplaceWork,
  offersImage,
  offersNoWork,
  powProblems,
  type Submission,
  submissionFrom,
} from '../../src/challenges/submission.js';
import { acceptedAlgorithms } from '../../src/pow/algorithms.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

const NAMES = {
  pow: { token: 'pow_token', nonce: 'pow_nonce' },
  image: { token: 'captcha_token', answer: 'captcha' },
};
const TOKEN = 'T'.repeat(40);
const ABSENT = [undefined, null, ''];

t.test('fields are found by their names in the body itself, not inherited', async (t) => {
  const body = { pow_token: 1, pow_nonce: '2', captcha_token: [3], captcha: null, other: 5 };
  const submission = { powToken: 1, powNonce: '2', imageToken: [3], imageAnswer: null };
  t.strictSame(submissionFrom(body, NAMES), submission);
  for (const none of [undefined, null, 'pow_token', 7]) t.strictSame(submissionFrom(none, NAMES), {});
  const inherited = submissionFrom(Object.create(body), NAMES);
  t.strictSame(Object.values(inherited), [undefined, undefined, undefined, undefined]);
});

t.test('a missing, null or empty field counts as absent', async (t) => {
  for (const absent of ABSENT) {
    t.notOk(offersImage({ imageToken: absent, imageAnswer: absent }));
    t.ok(offersImage({ imageToken: absent, imageAnswer: 'x' }));
    t.ok(offersImage({ imageToken: 'x', imageAnswer: absent }));
    t.ok(offersNoWork({ powToken: absent, powNonce: absent }));
    t.notOk(offersNoWork({ powToken: absent, powNonce: 'x' }));
    t.notOk(offersNoWork({ powToken: 'x', powNonce: absent }));
  }
});

t.test('an image replaces work only if the options allow it, and only where work is required', async (t) => {
  const options = (pow: boolean, no_script?: 'image') =>
    resolveCaptchaOptions({ pow: { enabled: pow }, ...(no_script && { no_script }) });
  t.ok(mayReplaceWork(options(true, 'image')));
  t.notOk(mayReplaceWork(options(true)));
  t.notOk(mayReplaceWork(options(false, 'image')));
});

t.test('each field of work or of a captcha has its own error', async (t) => {
  const form = fc.constantFrom('right', 'malformed', 'required');
  const property = fc.property(form, form, (token, value) => {
    const textOf = (is: string, right: string) => (is === 'right' ? right : is === 'malformed' ? '!' : '');
    const problemsOf = (names: { token: string; value: string }, found: unknown) => {
      const wrong = Object.entries({ [names.token]: token, [names.value]: value }).filter(
        ([, is]) => is !== 'right',
      );
      t.strictSame(
        found,
        wrong.length === 0 ? null : Object.fromEntries(wrong.map(([name, is]) => [name, [is]])),
      );
    };
    const work = { powToken: textOf(token, TOKEN), powNonce: textOf(value, '7') };
    problemsOf(
      { token: 'pow_token', value: 'pow_nonce' },
      powProblems(work, NAMES, acceptedAlgorithms('sha256')),
    );
    const image = { imageToken: textOf(token, TOKEN), imageAnswer: textOf(value, 'abc').replace('!', ' ') };
    problemsOf({ token: 'captcha_token', value: 'captcha' }, imageProblems(image, NAMES, 3));
  });
  t.doesNotThrow(() => fc.assert(property));
});

t.test('a HashWX solution is well-formed only where HashWX is accepted', async (t) => {
  const work = { powToken: TOKEN, powNonce: '1.2.3.4' };
  t.equal(powProblems(work, NAMES, acceptedAlgorithms('sha256,hashwx-1')), null);
  t.strictSame(powProblems(work, NAMES, acceptedAlgorithms('sha256')), { pow_nonce: ['malformed'] });
  t.strictSame(powProblems({ ...work, powNonce: 7 }, NAMES, acceptedAlgorithms('sha256,hashwx-1')), {
    pow_nonce: ['malformed'],
  });
});

t.test('an answer has at least one visible character, and at most the maximum length', async (t) => {
  const problemsOf = (imageAnswer: unknown) => imageProblems({ imageToken: TOKEN, imageAnswer }, NAMES, 3);
  for (const answer of ['a', 'abc', ' a ']) t.equal(problemsOf(answer), null);
  for (const answer of ['abcd', '   ', 7, ['abc']])
    t.strictSame(problemsOf(answer), { captcha: ['malformed'] });
});

t.test('equal submissions have equal claims, and any change gives another', async (t) => {
  const sent = {
    application: 'app',
    submission: { powToken: 'a', powNonce: 'b', imageToken: 'c', imageAnswer: 'd' },
    key: 'ann',
    ip: '203.0.113.7',
  };
  const claim = idempotentClaim('key', sent);
  t.match(claim, /^[0-9a-f]{32}$/);
  t.equal(idempotentClaim('key', structuredClone(sent)), claim);
  const changed: Submission[] = ['powToken', 'powNonce', 'imageToken', 'imageAnswer'].map((name) => ({
    ...sent.submission,
    [name]: undefined,
  }));
  const others = [
    idempotentClaim('other', sent),
    idempotentClaim('key', { ...sent, application: 'other' }),
    idempotentClaim('key', { ...sent, key: undefined }),
    idempotentClaim('key', { ...sent, ip: undefined }),
    ...changed.map((submission) => idempotentClaim('key', { ...sent, submission })),
  ];
  t.equal(new Set([claim, ...others]).size, others.length + 1);
});

t.test('an attempt counts for the known device, and failures are read only when needed', async (t) => {
  t.equal(countedKey({ key: 'ann' }), 'ann');
  t.equal(countedKey({ key: 'ann', device: { key: 'Device x', budget: 5 } }), 'Device x');
  t.equal(await failuresOf(undefined), 0);
  t.equal(await failuresOf({ key: 'ann', failures: 3 }), 3);
  t.equal(await failuresOf({ key: 'ann', failures: async () => 4 }), 4);
});

t.test('a verdict states whether the work was right', async (t) => {
  const verdictOf = (...parts: Parameters<typeof failed>) => failed(...parts);
  t.ok(hasRightWork(verdictOf('captcha_invalid', 'captcha', 'wrong_answer', 'wrong')));
  t.ok(hasRightWork(verdictOf('pow_insufficient', 'pow_nonce', 'insufficient_work', 'insufficient')));
  t.ok(hasRightWork(imageMissing(NAMES)));
  t.notOk(hasRightWork(verdictOf('pow_invalid', 'pow_nonce', 'wrong_work', 'wrong')));
  t.notOk(hasRightWork(verdictOf('captcha_invalid', 'captcha', 'malformed', 'malformed')));
  t.notOk(hasRightWork(verdictOf('pass_invalid', 'pass', 'malformed', 'unknown')));
  t.notOk(hasRightWork(verdictOf('pass_exhausted', 'pass', 'malformed', 'insufficient')));
  t.notOk(hasRightWork({ ...imageMissing(NAMES), isUnproven: true }));
});

t.test('verdicts on missing and malformed fields name them', async (t) => {
  t.strictSame(failed('pow_invalid', 'pow_nonce', 'wrong_work', 'wrong'), {
    ok: false,
    code: 'pow_invalid',
    fields: { pow_nonce: ['wrong_work'] },
    reason: 'wrong',
  });
  t.strictSame(imageMissing(NAMES), {
    ok: false,
    code: 'captcha_required',
    fields: { captcha_token: ['required'], captcha: ['required'] },
    reason: 'missing',
  });
  const [work, image] = [{ pow_token: ['required'] }, { captcha: ['malformed'] }] as const;
  const verdict = { ok: false, reason: 'malformed' };
  t.equal(malformed(null, null), null);
  t.strictSame(malformed(work, null), { ...verdict, code: 'pow_invalid', fields: work });
  t.strictSame(malformed(null, image), { ...verdict, code: 'captcha_invalid', fields: image });
  t.strictSame(malformed(work, image), { ...verdict, code: 'pow_invalid', fields: { ...work, ...image } });
});
