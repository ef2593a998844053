// The challenge names and price that the launcher reads, and the reserved paths of the demo page.

import { pageSegments, shippedPage } from '@tollgate/tools/demo/demo-page.js';
import { readChallengeNames } from '@tollgate/tools/gateway/challenge-names.js';
import { readShownPrice } from '@tollgate/tools/gateway/shown-price.js';
import t from 'tap';

t.test('the names are the defaults, or those of the environment', async (t) => {
  t.strictSame(readChallengeNames({ CAPTCHA_POW_DIFFICULTY: '20' }, []), {
    prefix: 'api/captcha',
    fields: {
      pow_token: 'pow_token',
      pow_nonce: 'pow_nonce',
      captcha_token: 'captcha_token',
      captcha: 'captcha',
    },
  });
  const environment = {
    CAPTCHA_ROUTES_PREFIX: 'challenges/v1',
    CAPTCHA_POW_FIELDS_TOKEN: 'work.id',
    CAPTCHA_POW_FIELDS_NONCE: 'work.nonce',
    CAPTCHA_FIELDS_TOKEN: 'image-id',
    CAPTCHA_FIELDS_ANSWER: 'image-text',
  };
  t.strictSame(readChallengeNames(environment, []), {
    prefix: 'challenges/v1',
    fields: {
      pow_token: 'work.id',
      pow_nonce: 'work.nonce',
      captcha_token: 'image-id',
      captcha: 'image-text',
    },
  });
});

for (const prefix of [
  'app.js',
  'sign-in.js',
  'index.html',
  'icon.svg',
  'style',
  'texts/x',
  'page.json',
  'client/x',
  'forms',
  'docs/x',
]) {
  t.test(`${prefix} is reserved for the demo page`, async (t) => {
    const [first] = prefix.split('/');
    t.throws(() => readChallengeNames({ CAPTCHA_ROUTES_PREFIX: prefix }, pageSegments(shippedPage.folder)), {
      name: 'StartError',
      message: `CAPTCHA_ROUTES_PREFIX must not begin with "${first}", which is a path of the demo page.`,
    });
  });
}

t.test('a name that only begins like a reserved one is free', async (t) => {
  const environment = { CAPTCHA_ROUTES_PREFIX: 'app.json/style' };
  t.equal(readChallengeNames(environment, pageSegments(shippedPage.folder)).prefix, 'app.json/style');
});

t.test('the price terms are numbers, the defaults or those of the environment', async (t) => {
  t.strictSame(readShownPrice({}), { floor: 16, ceiling: 24, step: 2, imageAfter: 2 });
  const environment = {
    CAPTCHA_POW_DIFFICULTY: '10',
    CAPTCHA_POW_MAX_DIFFICULTY: '20',
    CAPTCHA_POW_STEP: '3',
    CAPTCHA_ESCALATION_AFTER: '1',
  };
  t.strictSame(readShownPrice(environment), { floor: 10, ceiling: 20, step: 3, imageAfter: 1 });
  t.equal(readShownPrice({ ...environment, CAPTCHA_POW_ESCALATE: 'false' }).step, 0);
});
