// How long the ids of CHALLENGE_SECRET stay in use.

import t from 'tap';
import { challengeLifetimes } from '../../src/challenges/challenge-lifetimes.js';
import { resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';

const options = resolveCaptchaOptions({});

t.test('a pass of the gate that lives longest decides, and one that ends sooner does not', async (t) => {
  const without = challengeLifetimes(options);
  const week = 7 * 86_400;
  t.same(challengeLifetimes(options, [{ seconds: week }]), { ...without, challenge: week });
  t.same(challengeLifetimes(options, [{ seconds: 60 }]), without);
});
