// Owners paid for attackers: deliberate failures raised the price of the owner's login and required an image.

import t, { type Test } from 'tap';
import type { Answer } from './client.js';
import { CHEAP, onRedis, type Site, type User } from './site.js';

t.setTimeout(300_000);

t.test('a known device', (t) => onRedis(t, CHEAP, tests));

/** The device cookie of a response, as a browser sends it. */
function deviceOf({ cookies }: Answer): string {
  return cookies.find((text) => text.startsWith('knownDevice='))?.split(';')[0] ?? '';
}

async function tests(t: Test, site: Site): Promise<void> {
  /** Fails from other addresses until the account is at the ceiling. */
  const attack = async ({ email }: Pick<User, 'email'>) => {
    for (let n = 0; n < 6; n++) {
      await site.tryLogIn({ email, password: 'wrong' }, { ip: site.newAddress(), body: await site.image() });
    }
  };
  /** A login with a page's first work, at the base price, and no image. */
  const plainLogIn = async (user: Pick<User, 'email' | 'password'>, cookie: string) => {
    const ip = site.newAddress();
    const body = { email: user.email, password: user.password, ...(await site.work({ ip })) };
    return site.session.post('/login', { ip, body, headers: { cookie } });
  };

  await t.test('its owner logs in under attack at the base price, again and again', async (t) => {
    const user = await site.newUser();
    let device = deviceOf((await site.logIn(user)).answer);
    for (let n = 0; n < 3; n++) {
      await attack(user);
      t.match((await plainLogIn(user, '')).json, { code: 'pow_insufficient', captcha_required: true });
      const answer = await plainLogIn(user, device);
      t.equal(answer.status, 200);
      device = deviceOf(answer);
    }
  });

  await t.test('after a typing error the next work is priced for the device', async (t) => {
    const user = await site.newUser();
    const device = deviceOf((await site.logIn(user)).answer);
    await attack(user);
    const wrong = await plainLogIn({ ...user, password: 'wrong' }, device);
    t.match(wrong, { status: 422, json: { code: 'login_failed', captcha_required: false } });
    const ip = site.newAddress();
    const scope = wrong.json.pow_scope;
    t.equal((await site.challenge.get(`/api/captcha/pow?scope=${scope}`, { ip })).json.difficulty, 3);
    const body = { ...user, ...(await site.work({ ip, scope })) };
    const right = await site.session.post('/login', { ip, body, headers: { cookie: device } });
    t.equal(right.status, 200);
  });

  await t.test('the cookie of another account changes no response', async (t) => {
    const [owner, victim] = [await site.newUser(), await site.newUser()];
    const unknown = { email: site.newEmail(), password: 'wrong' };
    const device = deviceOf((await site.logIn(owner)).answer);
    await attack(victim);
    await attack(unknown);
    for (const account of [victim, unknown]) {
      for (const password of ['wrong', account.password]) {
        const answers = [];
        for (const cookie of ['', device]) {
          const answer = await plainLogIn({ ...account, password }, cookie);
          const { date: _date, 'ratelimit-reset': _reset, ...headers } = answer.headers;
          const { pow_scope: scope, ...body } = answer.json;
          answers.push({ status: answer.status, headers, body, scope: scope?.length });
        }
        t.strictSame(answers[1], answers[0]);
      }
    }
  });

  await t.test('the security events mark logins from a known device', async (t) => {
    const user = await site.newUser();
    const device = deviceOf((await site.logIn(user)).answer);
    await plainLogIn({ ...user, password: 'wrong' }, device);
    t.match((await site.events('login')).at(-1), { known_device: false });
    t.match((await site.events('login_failed')).at(-1), { known_device: true });
  });
}
