// Of 12 parallel guesses with effort fetched before any of them failed, 11 reached the password.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { projectRoot } from '../../src/launcher/local-environment.js';
import { CHEAP, eachStore, type Site } from './site.js';

const GUESSES = 12;

t.setTimeout(300_000);

t.test('parallel guesses with effort', (t) => eachStore(t, CHEAP, guesses));

async function guesses(t: Test, site: Site): Promise<void> {
  const { email } = await site.newUser();
  const refusal = JSON.stringify({ captcha_required: true, pow_scope: await site.scopeOf(email) });
  const submissions = [];
  for (let n = 0; n < GUESSES; n++) {
    // The quick solver: the least effort that is issued takes four million hashes.
    const command = [join(projectRoot, 'deploy/solve.js'), site.system.address, refusal];
    const { stdout } = await promisify(execFile)(process.execPath, command);
    submissions.push({ email, password: 'wrong', ...JSON.parse(stdout) });
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
