// The content of a submission: its fields, their mistakes, and the claim of a request that may be repeated.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import {
  countedKey,
  type FieldNames,
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

const NAMES: FieldNames = {
  pow: { token: 'pow_token', nonce: 'pow_nonce' },
  image: { token: 'captcha_token', answer: 'captcha' },
};
const TOKEN = 'A'.repeat(40);
const SHA256 = acceptedAlgorithms('sha256');

t.test('the fields of a body are its own ones of the configured names', async (t) => {
  const none = { powToken: undefined, powNonce: undefined, imageToken: undefined, imageAnswer: undefined };
  const body = { pow_token: 1, pow_nonce: 'n', captcha_token: null, captcha: ['a'], password: 'x' };
  t.strictSame(submissionFrom(body, NAMES), {
    powToken: 1,
    powNonce: 'n',
    imageToken: null,
    imageAnswer: ['a'],
  });
  t.strictSame(submissionFrom({}, NAMES), none);
  t.strictSame(submissionFrom(Object.create(body), NAMES), none, 'inherited ones are not sent');
  t.strictSame(submissionFrom(Object.assign(Object.create(null), { captcha: 'a' }), NAMES).imageAnswer, 'a');
  for (const other of [undefined, null, 'pow_token', 5, true]) t.strictSame(submissionFrom(other, NAMES), {});
});

t.test('an empty field is as good as a missing one', async (t) => {
  for (const absent of [undefined, null, '']) {
    t.notOk(offersImage({ imageToken: absent, imageAnswer: absent }));
    t.ok(offersImage({ imageToken: absent, imageAnswer: 'x' }));
    t.ok(offersImage({ imageToken: 'x', imageAnswer: absent }));
    t.ok(offersNoWork({ powToken: absent, powNonce: absent }));
    t.notOk(offersNoWork({ powToken: absent, powNonce: 'x' }));
    t.notOk(offersNoWork({ powToken: 'x', powNonce: absent }));
  }
  for (const present of [' ', 0, false, []]) {
    t.ok(offersImage({ imageAnswer: present }));
    t.notOk(offersNoWork({ powNonce: present }));
  }
});

t.test('an image may replace work if the option says so and work is on', async (t) => {
  const may = (isImage: boolean, enabled: boolean) => {
    const options = resolveCaptchaOptions(isImage ? { no_script: 'image' } : {});
    return mayReplaceWork({ ...options, pow: { ...options.pow, enabled } });
  };
  t.strictSame(
    [may(true, true), may(true, false), may(false, true), may(false, false)],
    [true, false, false, false],
  );
});

t.test('the work fields have a token and a nonce, and each mistake names its field', async (t) => {
  const problems = (powToken: unknown, powNonce: unknown) =>
    powProblems({ powToken, powNonce }, NAMES, SHA256);
  t.equal(problems(TOKEN, '17'), null);
  t.strictSame(problems(undefined, '17'), { pow_token: ['required'] });
  t.strictSame(problems(TOKEN, ''), { pow_nonce: ['required'] });
  t.strictSame(problems(null, null), { pow_token: ['required'], pow_nonce: ['required'] });
  for (const token of ['x', `${TOKEN}A`, 5, [TOKEN]]) {
    t.strictSame(problems(token, '17'), { pow_token: ['malformed'] }, String(token));
  }
  for (const nonce of ['x', '-1', 17, ['17'], {}]) {
    t.strictSame(problems(TOKEN, nonce), { pow_nonce: ['malformed'] }, String(nonce));
  }
  t.strictSame(problems('x', ''), { pow_token: ['malformed'], pow_nonce: ['required'] });
});

t.test('the nonce of any accepted algorithm is one', async (t) => {
  const both = acceptedAlgorithms('sha256,hashwx-1');
  const submission: Submission = { powToken: TOKEN, powNonce: '17' };
  t.equal(powProblems(submission, NAMES, both), null);
  const [, hashwx] = both;
  const wanted = {
    ...hashwx,
    algorithm: { ...hashwx?.algorithm, isSolution: (text: string) => text === 'own' },
  };
  const own = [SHA256[0], wanted] as unknown as typeof both;
  t.equal(powProblems({ ...submission, powNonce: 'own' }, NAMES, own), null);
  t.equal(powProblems(submission, NAMES, own), null);
  t.strictSame(powProblems({ ...submission, powNonce: 'own' }, NAMES, SHA256), { pow_nonce: ['malformed'] });
});

t.test('a HashWX solution is well-formed only where HashWX is accepted', async (t) => {
  const work = { powToken: TOKEN, powNonce: '1.2.3.4' };
  t.equal(powProblems(work, NAMES, acceptedAlgorithms('sha256,hashwx-1')), null);
  t.strictSame(powProblems(work, NAMES, acceptedAlgorithms('sha256')), { pow_nonce: ['malformed'] });
  t.strictSame(powProblems({ ...work, powNonce: 7 }, NAMES, acceptedAlgorithms('sha256,hashwx-1')), {
    pow_nonce: ['malformed'],
  });
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

t.test('the captcha fields have a token and an answer, and each mistake names its field', async (t) => {
  const problems = (imageToken: unknown, imageAnswer: unknown) =>
    imageProblems({ imageToken, imageAnswer }, NAMES, 6);
  t.equal(problems(TOKEN, 'k7mxqp'), null, 'the longest answer');
  t.equal(problems(TOKEN, ' a '), null);
  t.strictSame(problems(undefined, 'a'), { captcha_token: ['required'] });
  t.strictSame(problems('x', 'a'), { captcha_token: ['malformed'] });
  t.strictSame(problems(TOKEN, null), { captcha: ['required'] });
  t.strictSame(problems('', ''), { captcha_token: ['required'], captcha: ['required'] });
  for (const answer of ['k7mxqpr', ' ', '\u3000', 5, ['a']]) {
    t.strictSame(problems(TOKEN, answer), { captcha: ['malformed'] }, JSON.stringify(answer));
  }
  t.strictSame(problems('x', ' '), { captcha_token: ['malformed'], captcha: ['malformed'] });
});

t.test('the claim of a repeated request is the same, and that of every other is not', async (t) => {
  const submission = { powToken: 't', powNonce: 'n', imageToken: 'i', imageAnswer: 'a' };
  const sent = { application: 'shop', submission, key: 'ann', ip: '203.0.113.7' };
  const claim = idempotentClaim('key', sent);
  const text = '["shop","t","n","i","a","ann","203.0.113.7"]';
  t.equal(claim, createHmac('sha256', 'key').update(text).digest('hex').slice(0, 32));
  t.match(claim, /^[0-9a-f]{32}$/);
  t.equal(idempotentClaim('key', structuredClone(sent)), claim);
  const others = [
    idempotentClaim('other', sent),
    ...[
      { ...sent, application: 'blog' },
      { ...sent, key: 'bob' },
      { ...sent, key: undefined },
      { ...sent, ip: undefined },
      ...Object.keys(submission).map((field) => ({ ...sent, submission: { ...submission, [field]: 'x' } })),
      ...Object.keys(submission).map((field) => ({
        ...sent,
        submission: { ...submission, [field]: undefined },
      })),
      { ...sent, submission: { ...submission, powToken: 'null' } },
      { ...sent, submission: { ...submission, powToken: 't","n', powNonce: undefined } },
    ].map((each) => idempotentClaim('key', each)),
  ];
  t.equal(new Set([claim, ...others]).size, others.length + 1);
  const claimWithout = (powToken: unknown) =>
    idempotentClaim('key', { ...sent, submission: { ...submission, powToken } });
  t.equal(claimWithout(null), claimWithout(undefined), 'as without the field');
});

t.test('an attempt counts for its known device, or else for its account', async (t) => {
  t.equal(countedKey({ key: 'ann' }), 'ann');
  t.equal(countedKey({ key: 'ann', device: { key: 'ann#1', budget: 5 } }), 'ann#1');
});

t.test('the failures of an account are known, or asked for', async (t) => {
  t.equal(await failuresOf(undefined), 0);
  t.equal(await failuresOf({ key: 'ann', failures: 3 }), 3);
  t.equal(await failuresOf({ key: 'ann', failures: async () => 4 }), 4);
});

t.test('a verdict on one field names it', async (t) => {
  t.strictSame(failed('pow_invalid', 'pow_nonce', 'wrong_work', 'wrong'), {
    ok: false,
    code: 'pow_invalid',
    fields: { pow_nonce: ['wrong_work'] },
    reason: 'wrong',
  });
});

t.test('a missing captcha is missing in both fields', async (t) => {
  t.strictSame(imageMissing(NAMES), {
    ok: false,
    code: 'captcha_required',
    fields: { captcha_token: ['required'], captcha: ['required'] },
    reason: 'missing',
  });
});

t.test('malformed fields are one verdict, of the work if it has a mistake', async (t) => {
  const work = { pow_nonce: ['required'] } as const;
  const image = { captcha: ['malformed'] } as const;
  const verdict = { ok: false, reason: 'malformed' };
  t.equal(malformed(null, null), null);
  t.strictSame(malformed(work, null), { ...verdict, code: 'pow_invalid', fields: work });
  t.strictSame(malformed(null, image), { ...verdict, code: 'captcha_invalid', fields: image });
  t.strictSame(malformed(work, image), { ...verdict, code: 'pow_invalid', fields: { ...work, ...image } });
});

t.test('only a failed submission with valid work may speak of its account', async (t) => {
  const verdict = failed('captcha_invalid', 'captcha', 'wrong_answer', 'wrong');
  t.ok(hasRightWork(verdict));
  t.ok(
    hasRightWork({ ...verdict, code: 'pow_insufficient', reason: 'insufficient' }),
    'right, but too cheap',
  );
  t.ok(hasRightWork(imageMissing(NAMES)));
  t.notOk(hasRightWork({ ...verdict, isUnproven: true }), 'an image in place of work');
  t.notOk(hasRightWork({ ...verdict, code: 'pow_invalid' }));
  t.notOk(hasRightWork({ ...verdict, reason: 'malformed' }), 'the work was not read');
  for (const code of ['pass_invalid', 'pass_exhausted'] as const) t.notOk(hasRightWork({ ...verdict, code }));
  t.notOk(hasRightWork(failed('pass_invalid', 'pass', 'malformed', 'unknown')));
  t.notOk(hasRightWork(failed('pass_exhausted', 'pass', 'malformed', 'insufficient')));
});
