// Forms: submitted fields and their errors, and the requirements of one form.

import fc from 'fast-check';
import t from 'tap';
import { decodeDemand, encodeDemand, presetMark } from '../../src/challenges/attempts/demand.js';
import {
  areAcceptedAlgorithms,
  demandOf,
  type FormRules,
  formRulesMistake,
  requirementsOf,
} from '../../src/challenges/form-rules.js';
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
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

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

// Requirements of one form: its ticket, its responses, and invalid rules.

const DEFAULTS = resolveCaptchaOptions({});
const HASHWX = resolveCaptchaOptions({ pow: { algorithms: 'sha256,hashwx-1' } });

t.test('a form that needs work has requirements for its ticket', async (t) => {
  t.equal(demandOf({ needsWork: true }), undefined);
  t.equal(demandOf({ needsWork: true, presets: ['effort'] }), undefined, 'effort is no image');
  t.equal(demandOf({ minDifficulty: 20 }), undefined, 'without work');
  t.strictSame(demandOf({ needsWork: true, minDifficulty: 20 }), {
    bits: 20,
    algorithms: null,
    preset: null,
  });
  t.strictSame(demandOf({ needsWork: true, algorithms: ['sha256'] }), {
    bits: 0,
    algorithms: ['sha256'],
    preset: null,
  });
  t.strictSame(demandOf({ needsWork: true, presets: ['effort', 'large', 'small'] }), {
    bits: 0,
    algorithms: null,
    preset: presetMark('large'),
  });
});

t.test('presets have different marks', async (t) => {
  t.equal(new Set(['large', 'small', 'calm'].map(presetMark)).size, 3);
});

t.test('encoded requirements decode to the same requirements', async (t) => {
  for (const algorithms of [null, ['sha256'], ['hashwx-1'], ['sha256', 'hashwx-1']])
    for (const bits of [0, 24])
      for (const preset of [null, presetMark('large')]) {
        const demand = { bits, algorithms, preset };
        t.strictSame(decodeDemand(encodeDemand(demand)), demand);
      }
  t.equal(encodeDemand({ bits: 24, algorithms: ['hashwx-1'], preset: 258 }).toString('hex'), '180200000102');
});

t.test("a response includes the form's requirements for the next attempt", async (t) => {
  const saysOf = (
    rules: FormRules,
    captcha_required = false,
    input: CaptchaOptionsInput = {},
    submission = { powToken: 'x' },
  ) => requirementsOf({ captcha_required }, rules, resolveCaptchaOptions(input), submission);
  const effort = { captcha_required: true, captcha_alternatives: ['effort'] };
  t.strictSame(saysOf({}), { captcha_required: false });
  t.strictSame(saysOf({ presets: ['large'] }), { captcha_required: false }, 'no captcha, no presets');
  t.strictSame(saysOf({}, true), effort);
  t.strictSame(saysOf({ alwaysImage: true }), effort);
  t.strictSame(saysOf({}, true, { effort: { enabled: false } }), { captcha_required: true });
  t.strictSame(saysOf({ presets: ['large'] }, true), { captcha_required: true, captcha_presets: ['large'] });
  t.strictSame(saysOf({ presets: ['effort'] }, true), effort);
  t.strictSame(saysOf({ presets: ['effort', 'large'] }, true), { ...effort, captcha_presets: ['large'] });
  t.strictSame(saysOf({ minDifficulty: 20, algorithms: ['sha256'] }), {
    captcha_required: false,
    pow_min_difficulty: 20,
    pow_algorithms: ['sha256'],
  });
  t.strictSame(requirementsOf({ captcha_required: false, pow_scope: 'x' }, {}, DEFAULTS, {}), {
    captcha_required: false,
    pow_scope: 'x',
  });
});

t.test('effort is not offered to a page without JavaScript', async (t) => {
  const options = resolveCaptchaOptions({ no_script: 'image' });
  const offersEffort = (rules: FormRules, submission: object, its = options) =>
    requirementsOf({ captcha_required: true }, rules, its, submission).captcha_alternatives !== undefined;
  t.notOk(offersEffort({ needsWork: true }, {}));
  t.ok(offersEffort({ needsWork: true }, { powToken: 'x' }));
  t.ok(offersEffort({}, {}), 'a form without work tells nothing of scripts');
  t.ok(offersEffort({ needsWork: true }, {}, DEFAULTS), 'no image replaces work');
});

t.test("a form's invalid rules are named", async (t) => {
  const right = [
    {},
    { presets: ['large', 'effort'] },
    { preset: 'large' },
    { atLeast: 1 },
    { atLeast: 24 },
    { minDifficulty: 20 },
    { algorithms: ['sha256'] },
  ];
  for (const rules of right) t.equal(formRulesMistake(rules, DEFAULTS), null, JSON.stringify(rules));
  const wrong: [object, RegExp][] = [
    ...['large', [], [7], ['a b'], ['large', '']].map((presets): [object, RegExp] => [
      { presets },
      /as presets$/,
    ]),
    ...[7, '', 'a b', ['large']].map((preset): [object, RegExp] => [{ preset }, /as preset$/]),
    [{ preset: 'a', presets: ['a'] }, /not both$/],
    ...[0, 25, 1.5, '20', null].flatMap((bits): [object, RegExp][] => [
      [{ atLeast: bits }, /from 1 to 24 as atLeast$/],
      [{ minDifficulty: bits }, /from 1 to 24 as minDifficulty$/],
    ]),
    [{ atLeast: 20, minDifficulty: 20 }, /its older name$/],
    ...['sha256', [], ['hashwx-1'], ['sha256', 'argon2']].map((algorithms): [object, RegExp] => [
      { algorithms },
      /as algorithms$/,
    ]),
  ];
  for (const [rules, mistake] of wrong)
    t.match(formRulesMistake(rules, DEFAULTS), mistake, JSON.stringify(rules));
  t.ok(areAcceptedAlgorithms(['hashwx-1', 'sha256'], HASHWX));
  t.notOk(areAcceptedAlgorithms(['hashwx-1', 'argon2'], HASHWX));
});
