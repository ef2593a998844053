// The requirements of the next attempt, and the price that an address remembers.

import { ring } from '@tollgate/test-support/issuing.js';
import t from 'tap';
import { createNextAttempts } from '../../../src/challenges/attempts/next-attempt.js';
import { openTicket } from '../../../src/challenges/attempts/scope-ticket.js';
import { failed } from '../../../src/challenges/submission.js';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../../src/schemas/captcha-options.js';

const NOW_MS = 1_800_000_000_000;
const DECAY_MS = 900_000;
const IP = '203.0.113.7';
/** The pseudonym of an account: its name in hexadecimal digits. */
const account = (key: string) => Buffer.from(key).toString('hex').padEnd(32, '0');
const DEMAND = { bits: 9, algorithms: null, preset: null };
const OPTIONS: CaptchaOptionsInput = {
  test_mode: true,
  pow: { difficulty: 4, step: 2, max_difficulty: 12, expire: 120 },
  escalation: { after: 3, decay: DECAY_MS / 1000 },
};

function attempts({ pow = {}, escalation = {}, ...input }: CaptchaOptionsInput = {}) {
  const remembered: (readonly [address: string, price: number, ms: number])[] = [];
  const next = createNextAttempts({
    store: {
      async rememberPrice(address, price, ms) {
        remembered.push([address, price, ms]);
      },
    },
    ring,
    options: resolveCaptchaOptions({
      ...OPTIONS,
      pow: { ...OPTIONS.pow, ...pow },
      escalation: { ...OPTIONS.escalation, ...escalation },
      ...input,
    }),
    clock: () => NOW_MS,
    account,
    address: (ip) => (ip === undefined ? undefined : `address of ${ip}`),
  });
  return { ...next, remembered };
}

/** The account and the demand of a ticket, which is valid as long as a failure. */
function contentOf(ticket: string | undefined) {
  if (ticket === undefined) return undefined;
  const content = openTicket(ring, ticket, NOW_MS + DECAY_MS - 1);
  return { account: content?.scope?.account, demand: content?.demand };
}

t.test('a captcha is required of an account from the configured failure on', async (t) => {
  const { nextAttempt } = attempts();
  const EFFORT = { captcha_required: true, captcha_alternatives: ['effort'] };
  for (const failures of [0, 1, 2]) {
    const { pow_scope, ...rest } = await nextAttempt('ann', failures);
    t.strictSame(rest, { captcha_required: false }, String(failures));
  }
  for (const failures of [3, 4, 100]) {
    const { pow_scope, ...rest } = await nextAttempt('ann', failures);
    t.strictSame(rest, EFFORT, String(failures));
  }
  t.strictSame(await nextAttempt(undefined, 100), { captcha_required: false }, 'of nobody without one');
  const plain = attempts({ effort: { enabled: false } });
  const { pow_scope, ...rest } = await plain.nextAttempt('ann', 3);
  t.strictSame(rest, { captcha_required: true }, 'effort is off');
  t.match(await attempts({ escalation: { after: 0 } }).nextAttempt('ann', 0), EFFORT);
});

t.test('a ticket names the account and the demand of the form, for the life of a failure', async (t) => {
  const { nextAttempt } = attempts();
  const ann = { account: account('ann') };
  const { pow_scope = '' } = await nextAttempt('ann', 0);
  t.strictSame(contentOf(pow_scope), { ...ann, demand: null });
  t.equal(openTicket(ring, pow_scope, NOW_MS + DECAY_MS), null);
  t.strictSame(contentOf((await nextAttempt('ann', 0, undefined, DEMAND)).pow_scope), {
    ...ann,
    demand: DEMAND,
  });
  t.strictSame(contentOf((await nextAttempt(undefined, 0, undefined, DEMAND)).pow_scope), {
    account: undefined,
    demand: DEMAND,
  });
  t.strictSame(await nextAttempt(undefined, 0), { captcha_required: false }, 'there is nothing to name');
  const flat = attempts({ pow: { escalate: false } });
  t.strictSame(await flat.nextAttempt('ann', 0, undefined, DEMAND), { captcha_required: false });
});

t.test('an address remembers a price above the normal one, for the life of work', async (t) => {
  const priceOf = async (
    input: CaptchaOptionsInput,
    ...args: [string | undefined, number, string?, typeof DEMAND?]
  ) => {
    const { nextAttempt, remembered } = attempts(input);
    await nextAttempt(...args);
    return remembered;
  };
  const priced = (price: number) => [[`address of ${IP}`, price, 120_000]];
  t.strictSame(await priceOf({}, 'ann', 1, IP), priced(6));
  t.strictSame(await priceOf({}, 'ann', 3, IP), priced(10));
  t.strictSame(await priceOf({}, 'ann', 50, IP), priced(12), 'the highest one');
  t.strictSame(await priceOf({}, 'ann', 0, IP), [], 'the normal one');
  t.strictSame(await priceOf({}, 'ann', 1), [], 'no address');
  t.strictSame(await priceOf({}, undefined, 1, IP), [], 'no account');
  t.strictSame(await priceOf({}, 'ann', 0, IP, DEMAND), priced(9));
  t.strictSame(await priceOf({}, 'ann', 1, IP, DEMAND), priced(9));
  t.strictSame(await priceOf({}, 'ann', 3, IP, DEMAND), priced(10));
  t.strictSame(await priceOf({}, undefined, 0, IP, DEMAND), priced(9));
  t.strictSame(
    await priceOf({}, undefined, 0, IP, { ...DEMAND, bits: 4 }),
    [],
    'no more than the normal one',
  );
  t.strictSame(await priceOf({}, undefined, 0, IP, { ...DEMAND, bits: 20 }), priced(12));
  const flat = { pow: { escalate: false } };
  t.strictSame(await priceOf(flat, 'ann', 3, IP), []);
  t.strictSame(await priceOf(flat, 'ann', 3, IP, DEMAND), priced(9));
  t.strictSame(
    await priceOf(flat, 'ann', 3, IP, { ...DEMAND, bits: 5 }),
    priced(5),
    'failures do not raise it',
  );
});

t.test('without valid work the requirements say nothing about the account', async (t) => {
  const { nextAttemptUnproven, remembered } = attempts();
  const EFFORT = { captcha_required: true, captcha_alternatives: ['effort'] };
  const NONE = { captcha_required: false };
  const work = { powToken: 'x' };
  t.strictSame(nextAttemptUnproven(work), NONE);
  t.strictSame(nextAttemptUnproven({}), NONE);
  t.strictSame(nextAttemptUnproven(work, true), NONE);
  t.strictSame(nextAttemptUnproven({ imageAnswer: 'x' }), EFFORT, 'the page continues to show it');
  const always = attempts({ escalation: { after: 0 } });
  t.strictSame(always.nextAttemptUnproven(work, true), EFFORT, 'every attempt on an account needs one');
  t.strictSame(always.nextAttemptUnproven(work, false), NONE);
  t.strictSame(always.nextAttemptUnproven(work), NONE);
  const noScript = attempts({ no_script: 'image' });
  t.strictSame(noScript.nextAttemptUnproven({}), EFFORT, 'it may replace the work');
  t.strictSame(noScript.nextAttemptUnproven(work), NONE);
  const { pow_scope, ...rest } = nextAttemptUnproven(work, false, DEMAND);
  t.strictSame(rest, NONE);
  t.strictSame(contentOf(pow_scope), { account: undefined, demand: DEMAND });
  t.strictSame(nextAttemptUnproven(work, true, DEMAND), NONE, 'a ticket would lack the account');
  t.strictSame(remembered, []);
});

t.test('a failed submission has the requirements that its work may know', async (t) => {
  const wrongWork = failed('pow_invalid', 'pow_nonce', 'wrong_work', 'wrong');
  const wrongAnswer = failed('captcha_invalid', 'captcha', 'wrong_answer', 'wrong');
  const passed = {
    ok: true,
    given: { work: null, image: false, isImageStillEnough: () => true },
  } as const;
  const submission = { powToken: 'x' };
  const ann = { key: 'ann', failures: async () => 3 };

  const unproven = attempts();
  t.strictSame(await unproven.nextAttemptAfter(wrongWork, { submission, account: ann, ip: IP }), {
    captcha_required: false,
  });
  const { pow_scope: demanding } = await unproven.nextAttemptAfter(wrongWork, { submission, demand: DEMAND });
  t.match(contentOf(demanding), { demand: DEMAND });
  t.strictSame(unproven.remembered, []);
  const always = attempts({ escalation: { after: 0 } });
  t.match(await always.nextAttemptAfter(wrongWork, { submission }), { captcha_required: false });
  t.match(await always.nextAttemptAfter(wrongWork, { submission, account: ann }), { captcha_required: true });

  const proven = attempts();
  const next = await proven.nextAttemptAfter(wrongAnswer, {
    submission,
    account: ann,
    ip: IP,
    demand: DEMAND,
  });
  t.ok(next.captcha_required);
  t.strictSame(contentOf(next.pow_scope), { account: account('ann'), demand: DEMAND });
  t.strictSame(proven.remembered, [[`address of ${IP}`, 10, 120_000]]);

  const device = { ...ann, device: { key: 'device', budget: 5 } };
  const known = await proven.nextAttemptAfter(wrongAnswer, { submission, account: device });
  t.match(contentOf(known.pow_scope), { account: account('device') });

  const nobody = attempts();
  const demanded = await nobody.nextAttemptAfter(wrongAnswer, { submission, ip: IP, demand: DEMAND });
  t.notOk(demanded.captcha_required);
  t.strictSame(nobody.remembered, [[`address of ${IP}`, 9, 120_000]]);

  const after = attempts();
  t.ok((await after.nextAttemptAfter(passed, { submission, account: ann, ip: IP })).captcha_required);
  t.strictSame(after.remembered, [], 'the address has passed');
});
