// How long the key ids of CHALLENGE_SECRET stay in use.

import t from 'tap';
import { challengeLifetimes } from '../../src/challenges/challenge-lifetimes.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

const options = resolveCaptchaOptions({});

t.test("the gate's longest pass lifetime counts, a shorter one does not", async (t) => {
  const without = challengeLifetimes(options);
  const week = 7 * 86_400;
  t.same(challengeLifetimes(options, [{ seconds: week }]), { ...without, challenge: week });
  t.same(challengeLifetimes(options, [{ seconds: 60 }]), without);
});

t.test('harder work of an extension has the lifetime of its price', async (t) => {
  const cheap = resolveCaptchaOptions({ pow: { max_difficulty: 18 } });
  const dear = resolveCaptchaOptions({ pow: { max_difficulty: 24 } });
  t.not(challengeLifetimes(cheap).challenge, challengeLifetimes(dear).challenge);
  t.same(challengeLifetimes(cheap, [{ ceiling: 24, seconds: 60 }]), challengeLifetimes(dear));
  t.same(challengeLifetimes(cheap, [{ ceiling: 16, seconds: 60 }]), challengeLifetimes(cheap));
});
