// Service settings that depend on the configured sites.

import t from 'tap';
import { readChallengeConfig } from '../../../src/config.js';
import dropIn from '../drop-in-extension.js';

const site = { secret_sha256: 'a'.repeat(64), hostnames: ['shop.example'] };

/** Opens the drop-in as the service does. */
function open(sites: Readonly<Record<string, object>>) {
  const env = { CHALLENGE_SECRET: 'c', CAPTCHA_POW_MAX_DIFFICULTY: '20', SITES: JSON.stringify(sites) };
  return dropIn.open(readChallengeConfig(env, [dropIn]), '/');
}

t.test('the hardest site and the longest receipt determine how long keys are kept', async (t) => {
  t.same(open({ shop: site })?.lifetimes, { ceiling: 20, seconds: 300 });
  const forum = { ...site, secret_sha256: 'b'.repeat(64), difficulty: 18, receipt_seconds: 900 };
  t.same(
    open({ shop: site, forum })?.lifetimes,
    { ceiling: 22, seconds: 900 },
    'floor and ceiling rise alike',
  );
  const dearest = { ...forum, difficulty: 24 };
  t.same(
    open({ shop: site, dearest })?.lifetimes,
    { ceiling: 24, seconds: 900 },
    'no price is above 24 bits',
  );
});

t.test("only pages on a site's host names may call its paths", async (t) => {
  const ruleOf = open({ shop: site })?.originRuleOf;
  t.equal(ruleOf?.('/api/captcha/sites/shop/pow')?.('https://shop.example'), true);
  t.equal(ruleOf?.('/api/captcha/sites/shop/pow')?.('https://forum.example'), false);
  t.equal(ruleOf?.('/api/captcha/sites/forum/pow'), undefined);
  t.equal(ruleOf?.('/api/captcha/pow'), undefined);
});
