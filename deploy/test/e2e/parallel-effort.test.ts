// Of 12 parallel guesses with effort fetched before any of them failed, 11 reached the password.

import t, { type Test } from 'tap';
import { CHEAP, eachStore, type Site } from './site.js';
import { solveEffort } from './work.js';

const GUESSES = 12;

t.setTimeout(170_000);

t.test('parallel guesses with effort', (t) => eachStore(t, CHEAP, guesses));

async function guesses(t: Test, site: Site): Promise<void> {
  const { email } = await site.newUser();
  const scope = await site.scopeOf(email);
  const submissions = [];
  for (let n = 0; n < GUESSES; n++) {
    const { json } = await site.challenge.get(`/api/captcha?preset=effort&scope=${scope}`, {
      ip: site.newAddress(),
    });
    const effort = { captcha_token: json.token, captcha: solveEffort(json) };
    submissions.push({ email, password: 'wrong', ...(await site.work({ scope })), ...effort });
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
