// Login without JavaScript: an image alone in place of the work, where the operator allows it.

import { randomAlphanumerics } from '@tollgate/shared/crypto';
import t, { type Test } from 'tap';
import { startServiceHere } from '../system/services-here.js';
import type { Answer } from './client.js';
import { refusal, refusedUnproven } from './refusals.js';
import { CHEAP, onRedis, onStore, type Site } from './site.js';

t.setTimeout(300_000);

const WITH_IMAGES = { ...CHEAP, CAPTCHA_NO_SCRIPT: 'image', RATE_LIMIT_NO_SCRIPT: '8' };

t.test('login by an image alone', async (t) => {
  await onRedis(t, WITH_IMAGES, tests);
  await t.test('on the embedded store', (t) =>
    onStore(t, 'embedded', WITH_IMAGES, tests, {}, startServiceHere),
  );
});

async function tests(t: Test, site: Site): Promise<void> {
  await t.test('an image is enough for one login', async (t) => {
    const user = await site.newUser();
    const ip = site.newAddress();
    const image = await aloneImage(site, ip);
    const logIn = () => site.session.post('/login', { ip, body: { ...user, ...image } });
    const answers = await Promise.all(Array.from({ length: 5 }, logIn));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    const fields = { captcha: 'wrong_answer' } as const;
    t.strictSame((await logIn()).json, refusedUnproven('captcha_invalid', fields, true, false));
  });

  await t.test('without work and image, the response lists the requirements', async (t) => {
    const user = await site.newUser();
    const answer = await site.gateway.post('/login', { body: user });
    t.equal(answer.status, 422);
    const fields = { captcha_token: 'required', captcha: 'required' } as const;
    t.strictSame(answer.json, refusedUnproven('captcha_required', fields, true, false));
  });

  await t.test('each guess costs an image, and an address waits after five', async (t) => {
    const user = await site.newUser();
    const ip = site.newAddress();
    const attempt = async (password: string) =>
      site.session.post('/login', { ip, body: { ...user, password, ...(await aloneImage(site, ip)) } });
    // Effort is work: impossible without a script.
    const withoutEffort = { captcha_alternatives: undefined };
    for (let n = 0; n < 5; n++) {
      t.match((await attempt('wrong')).json, { code: 'login_failed', ...withoutEffort }, `guess ${n + 1}`);
    }
    const throttled = await attempt(user.password);
    t.match(throttled, { status: 429, json: { code: 'login_throttled', ...withoutEffort } });
    await aloneImage(site, ip);
    await aloneImage(site, ip);
    const over = await site.challenge.get(pathOf(randomAlphanumerics(40)), { ip });
    t.strictSame([over.status, over.json], [429, refusal('rate_limited')], 'and has eight images a minute');
  });

  await t.test('nothing is revealed of an account before the image is solved', async (t) => {
    const fresh = await site.newUser();
    const failed = await site.newUser();
    for (let n = 0; n < 3; n++) {
      const ip = site.newAddress();
      const body = { email: failed.email, password: 'wrong', ...(await aloneImage(site, ip)) };
      t.equal((await site.session.post('/login', { ip, body })).json.code, 'login_failed');
    }
    const ordinary = async () => site.image();
    const submissions: Record<string, (ip: string) => Promise<object>> = {
      nothing: async () => ({}),
      'an unknown image': async () => ({ captcha_token: 'a'.repeat(40), captcha: 'zzzzzz' }),
      'an ordinary image': ordinary,
      'a wrong answer': async (ip) => ({ ...(await aloneImage(site, ip)), captcha: 'zzzzzz' }),
      'an empty token of work': async () => ({ pow_token: '', pow_nonce: '', ...(await ordinary()) }),
    };
    for (const [what, fields] of Object.entries(submissions)) {
      const answers: Answer[] = [];
      const costs: number[] = [];
      for (const { email } of [fresh, failed, { email: site.newEmail() }]) {
        const ip = site.newAddress();
        const body = { email, password: 'wrong', ...(await fields(ip)) };
        const send = async () => {
          answers.push(await site.session.post('/login', { ip, body }));
        };
        if (site.redis === undefined) await send();
        else costs.push((await site.redis.commands(send)).filter(isOfRequest).length);
      }
      const [first, ...others] = answers.map(({ status, json }) => ({ status, json }));
      t.match(first, { status: 422, json: { captcha_required: true, pow_scope: undefined } }, what);
      for (const other of others) t.strictSame(other, first, what);
      t.ok(new Set(costs).size <= 1, `${what}: nor does one need more store commands`);
    }
  });

  await t.test('hostile fields are rejected, and work is still accepted', async (t) => {
    const user = await site.newUser();
    const image = await aloneImage(site, site.newAddress());
    const hostile = [
      { captcha_token: [image.captcha_token], captcha: image.captcha },
      { captcha_token: { $ne: '' }, captcha: image.captcha },
      { captcha_token: `${image.captcha_token}a`, captcha: image.captcha },
      { captcha_token: image.captcha_token, captcha: ' ' },
      { captcha_token: image.captcha_token, captcha: 'x'.repeat(5_000) },
      { ...image, pow_token: 'b'.repeat(40), pow_nonce: '1' },
      { ...image, pow_token: 0, pow_nonce: false },
      { ...image, pow_nonce: '1' },
    ];
    for (const fields of hostile) {
      const answer = await site.gateway.post('/login', { body: { ...user, ...fields } });
      t.equal(answer.status, 422, JSON.stringify(fields).slice(0, 80));
    }
    t.equal(
      (await site.gateway.post('/login', { body: { ...user, ...image } })).status,
      200,
      'none spent it',
    );
    t.equal((await site.tryLogIn(user)).status, 200);
  });
}

const pathOf = (token: string) => `/api/captcha/no-script/${token}.png`;

/** An image for this address on a page without JavaScript, with its answer. */
async function aloneImage(site: Site, ip: string) {
  const token = randomAlphanumerics(40);
  const { status, headers } = await site.challenge.get(pathOf(token), { ip });
  if (status !== 200) throw new Error(`the image request returned ${status}`);
  return { captcha_token: token, captcha: String(headers['x-captcha-answer']) };
}

/** Without commands of the process itself. */
function isOfRequest(command: string): boolean {
  return !/^(?:xread|info|hello|client|select|ping)\b| (?:session:keys|captcha:options|captcha:\{load\})/.test(
    command,
  );
}
