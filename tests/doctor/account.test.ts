// Doctor and accounts that cannot log in: it reports the reason, tries once, and leaves nothing behind.

import t from 'tap';
import { solve } from '../solving.js';
import { complaints, type ExaminedSystem, startExaminedSystem } from './examined-system.js';

const loginOf = async (examined: ExaminedSystem, password: string) => {
  const { email = '' } = examined.system.demo ?? {};
  return complaints(await examined.examine({ account: { email, password } }));
};

/** Somebody else's wrong password: the price that it leaves does not apply to doctor's address. */
async function failFromElsewhere({ system }: ExaminedSystem): Promise<void> {
  const work = await (await fetch(`${system.address}/api/captcha/pow`)).json();
  const { token, salt, difficulty } = work as { token: string; salt: string; difficulty: number };
  const challenges = { pow_token: token, pow_nonce: solve({ salt, difficulty }) };
  const answer = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.51.100.7' },
    body: JSON.stringify({ email: system.demo?.email, password: 'wrong', ...challenges }),
  });
  if (answer.status !== 422) throw new Error(`a wrong password returned ${answer.status}`);
}

t.test('each wrong password is one failure, and doctor explains the consequences', async (t) => {
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
  t.equal(
    examined.system.logs().split('"event":"login_failed"').length - 1,
    2,
    'it tried no further password',
  );
  t.notMatch(examined.system.logs(), /"event":"login"/);
});

t.test('failures that raise the price of work are no obstacle', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CAPTCHA_ESCALATION_AFTER: '50' } });
  await failFromElsewhere(examined);
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), []);
  t.match(examined.system.logs(), /"code":"pow_insufficient"/);
});

t.test('a throttled account is not tried', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CAPTCHA_ESCALATION_AFTER: '50' } });
  for (let failures = 0; failures < 5; failures++) await loginOf(examined, 'a wrong password');
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), [
    { check: 'login_throttled', severity: 'warning', message: 'The account is throttled for this address.' },
  ]);
});

t.test('limits are distinguished from faults', async (t) => {
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

t.test('services that do not share their secret reject the work', async (t) => {
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
