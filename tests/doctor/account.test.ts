// The doctor and accounts that cannot sign in: it says why, tries once, and leaves nothing behind.

import t from 'tap';
import { solve } from '../solving.js';
import { complaints, type ExaminedSystem, startExaminedSystem } from './examined-system.js';

const loginOf = async (examined: ExaminedSystem, password: string) => {
  const { email = '' } = examined.system.demo ?? {};
  return complaints(await examined.examine({ account: { email, password } }));
};

/** A stranger's wrong password: the price that it leaves behind is not that of the doctor's address. */
async function failFromElsewhere({ system }: ExaminedSystem): Promise<void> {
  const work = await (await fetch(`${system.address}/api/captcha/pow`)).json();
  const { token, salt, difficulty } = work as { token: string; salt: string; difficulty: number };
  const challenges = { pow_token: token, pow_nonce: solve({ salt, difficulty }) };
  const answer = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.51.100.7' },
    body: JSON.stringify({ email: system.demo?.email, password: 'wrong', ...challenges }),
  });
  if (answer.status !== 422) throw new Error(`a wrong password was answered ${answer.status}`);
}

t.test('each wrong password is one failure, and what follows is said kindly', async (t) => {
  const examined = await startExaminedSystem(t);
  const wrong = [
    {
      check: 'login_failed',
      severity: 'problem',
      message:
        'The email or the password is wrong, or the account is disabled. This counts as one failure of the account.',
    },
  ];
  t.strictSame(await loginOf(examined, 'a wrong password'), wrong);
  t.strictSame(await loginOf(examined, 'a wrong password'), wrong);
  const demanded = [
    {
      check: 'image_demanded',
      severity: 'warning',
      message:
        'The account has failures, so an image is required, which the doctor cannot solve. No session was started.',
    },
  ];
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), demanded);
  t.equal(examined.system.logs().split('"event":"login_failed"').length - 1, 2, 'it tried no password more');
  t.notMatch(examined.system.logs(), /"event":"login"/);
});

t.test('failures that raise the price of work are no obstacle', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CAPTCHA_ESCALATION_AFTER: '50' } });
  await failFromElsewhere(examined);
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), []);
  t.match(examined.system.logs(), /"code":"pow_insufficient"/);
});

t.test('an account that has to wait is left alone', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CAPTCHA_ESCALATION_AFTER: '50' } });
  for (let failures = 0; failures < 5; failures++) await loginOf(examined, 'a wrong password');
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), [
    { check: 'login_throttled', severity: 'warning', message: 'The account is throttled for this address.' },
  ]);
});

t.test('limits are told from faults', async (t) => {
  const examined = await startExaminedSystem(t, {
    environment: { RATE_LIMIT_LOGIN: '1', RATE_LIMIT_POW: '3' },
  });
  t.strictSame(complaints(await examined.examine()), []);
  t.strictSame(complaints(await examined.examine({ account: undefined })), []);
  t.strictSame(complaints(await examined.examine()), [
    {
      check: 'limited',
      severity: 'warning',
      message: 'This address is rate limited: a service returns 429.',
    },
  ]);
  const other = await startExaminedSystem(t, { environment: { RATE_LIMIT_LOGIN: '1' } });
  await other.examine();
  t.strictSame(complaints(await other.examine()), [
    { check: 'limited', severity: 'warning', message: 'This address has made too many login attempts.' },
  ]);
});

t.test('services that do not share their secret refuse the work', async (t) => {
  const examined = await startExaminedSystem(t, {
    serviceEnvironment: {
      'challenge-service': { CAPTCHA_CACHE_PREFIX: 'elsewhere' },
    },
  });
  t.strictSame(complaints(await examined.examine()), [
    {
      check: 'login_refused',
      severity: 'problem',
      message: 'Unexpected login response: 422 (pow_invalid).',
    },
  ]);
});
