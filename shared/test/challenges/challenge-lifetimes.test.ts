// The longest lifetimes of challenges and failures: how long the key ids of CHALLENGE_SECRET stay in use.

import t from 'tap';
import { challengeLifetimes } from '../../src/challenges/challenge-lifetimes.js';
import { effortLifetimeSeconds } from '../../src/pow/effort.js';
import { lifetimeSeconds } from '../../src/pow/lifetime.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

const options = resolveCaptchaOptions({});
/** Options with cheap work of short lifetimes. */
const brief = resolveCaptchaOptions({
  test_mode: true,
  pow: { difficulty: 4, max_difficulty: 8, expire: 60, expire_grows: false },
  effort: { bits: 0 },
  cache: { expire: 60 },
  escalation: { decay: 60 },
});

t.test('a challenge lives as long as the dearest one of any type, or as a failure', async (t) => {
  const longest = (changes: object) => challengeLifetimes({ ...brief, ...changes }).challenge;
  t.strictSame(challengeLifetimes(brief), { challenge: 60, decay: 60 });
  t.strictSame(challengeLifetimes({ ...brief, escalation: { ...brief.escalation, decay: 900 } }), {
    challenge: 900,
    decay: 900,
  });
  t.equal(longest({ pow: { ...brief.pow, expire: 700 } }), 700);
  t.equal(longest({ cache: { ...brief.cache, expire: 800 } }), 800);
  const dear = { ...brief.pow, max_difficulty: 26, expire_grows: true };
  t.equal(longest({ pow: dear }), lifetimeSeconds(26, 60, true));
  t.ok(longest({ pow: dear }) > 60);
  const effort = { ...brief.effort, bits: 28 };
  t.equal(longest({ effort }), effortLifetimeSeconds(28, 60), 'the dearest effort');
  t.ok(longest({ effort }) > 60);
});

t.test("the gate's longest pass lifetime counts, a shorter one does not", async (t) => {
  const without = challengeLifetimes(options);
  const week = 7 * 86_400;
  t.same(challengeLifetimes(options, [{ seconds: week }]), { ...without, challenge: week });
  t.same(challengeLifetimes(options, [{ seconds: 60 }]), without);
  t.same(challengeLifetimes(options, [{ seconds: 60 }, { seconds: week }, { seconds: 5 }]).challenge, week);
});

t.test('harder work of an extension has the lifetime of its price', async (t) => {
  const cheap = resolveCaptchaOptions({ pow: { max_difficulty: 18 } });
  const dear = resolveCaptchaOptions({ pow: { max_difficulty: 24 } });
  t.not(challengeLifetimes(cheap).challenge, challengeLifetimes(dear).challenge);
  t.same(challengeLifetimes(cheap, [{ ceiling: 24, seconds: 60 }]), challengeLifetimes(dear));
  t.same(challengeLifetimes(cheap, [{ ceiling: 16, seconds: 60 }]), challengeLifetimes(cheap));
});
