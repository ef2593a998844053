// The requirements of one form: its ticket, its responses, and invalid rules.

import t from 'tap';
import { decodeDemand, encodeDemand, presetMark } from '../../src/challenges/attempts/demand.js';
import {
  areAcceptedAlgorithms,
  demandOf,
  type FormRules,
  formRulesMistake,
  requirementsOf,
} from '../../src/challenges/form-rules.js';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

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
