// Of 12 parallel guesses with effort fetched before any of them failed, 11 reached the password.

import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import t, { type Test } from 'tap';
import { solveEffort, solveFullPrice } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { CHEAP, eachStore, type Site } from './site.js';

const GUESSES = 12;
// A HashWX price that makes most efforts cheap here: counting does not depend on the algorithm.
const ALGORITHMS = { CAPTCHA_POW_ALGORITHMS: 'sha256,hashwx-1=1000' };

t.setTimeout(300_000);

t.test('parallel guesses with effort', (t) =>
  eachStore(t, { ...CHEAP, ...ALGORITHMS }, guesses, startServiceHere),
);

async function guesses(t: Test, site: Site): Promise<void> {
  const { email } = await site.newUser();
  const scope = encodeURIComponent(await site.scopeOf(email));
  const issue = async (path: string) => (await site.gateway.get(`/api/captcha${path}scope=${scope}`)).json;
  const submissions: object[] = [];
  for (let n = 0; n < GUESSES; n++) {
    const work = await issue('/pow?');
    // In SHA-256 the smallest effort takes four million hashes.
    const inSha256 = n % 4 === 0;
    const effort = await issue(`?preset=effort&algorithms=${inSha256 ? '' : 'hashwx-1,'}sha256&`);
    submissions.push({
      email,
      password: 'wrong',
      pow_token: work.token,
      pow_nonce: await solveFullPrice(work),
      captcha_token: effort.token,
      captcha: inSha256 ? await solveEffort(effort) : findHashwxNumbers(effort),
    });
  }
  const before = (await site.events('login_failed')).length;
  const answers = await Promise.all(
    submissions.map((body) => site.session.post('/login', { ip: site.newAddress(), body })),
  );
  const codes = answers.map(({ json }) => json.code);
  const looked = codes.filter((code) => code === 'login_failed').length;
  t.ok(looked >= 1 && looked <= 3, `${looked} of ${GUESSES} passwords were checked`);
  t.equal((await site.events('login_failed')).length, before + looked);
  for (const code of codes) t.match(code, /^(login_failed|pow_insufficient|captcha_invalid)$/);
}
