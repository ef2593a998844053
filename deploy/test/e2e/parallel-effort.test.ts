// Of 12 parallel guesses with effort fetched before any of them failed, 11 reached the password.

import t, { type Test } from 'tap';
import { solveEffort, solveFullPrice } from '../solving.js';
import { startServiceHere } from '../support/services-here.js';
import { CHEAP, eachStore, type Site } from './site.js';

const GUESSES = 12;

t.setTimeout(300_000);

t.test('parallel guesses with effort', (t) => eachStore(t, CHEAP, guesses, startServiceHere));

async function guesses(t: Test, site: Site): Promise<void> {
  const { email } = await site.newUser();
  const scope = encodeURIComponent(await site.scopeOf(email));
  const issue = async (path: string) => (await site.gateway.get(`/api/captcha${path}scope=${scope}`)).json;
  const submissions: object[] = [];
  for (let n = 0; n < GUESSES; n++) {
    const work = await issue('/pow?');
    const effort = await issue('?preset=effort&');
    submissions.push({
      ...{ email, password: 'wrong' },
      ...{ pow_token: work.token, pow_nonce: await solveFullPrice(work) },
      // The least effort that is issued takes four million hashes.
      ...{ captcha_token: effort.token, captcha: await solveEffort(effort) },
    });
  }
  const before = (await site.events('login_failed')).length;
  const answers = await Promise.all(
    submissions.map((body) => site.session.post('/login', { ip: site.newAddress(), body })),
  );
  const codes = answers.map(({ json }) => json.code);
  const looked = codes.filter((code) => code === 'login_failed').length;
  t.ok(looked >= 1 && looked <= 3, `${looked} of ${GUESSES} passwords were looked at`);
  t.equal((await site.events('login_failed')).length, before + looked);
  for (const code of codes) t.match(code, /^(login_failed|pow_insufficient|captcha_invalid)$/);
}
