// Logins without our browser package: by a client written from the specification alone, on default options, and without
// JavaScript by an image alone in place of the work, where the operator allows it.
import { setTimeout as pause } from 'node:timers/promises';
import { answerText } from '@tollgate/challenge-service/image/derivation.js';
import { defaultPreset } from '@tollgate/challenge-service/presets/preset.js';
import {
  challengeKeys,
  drawKey,
  parseAnswerRecord,
  parseVerifiedRecord,
  slotTag,
} from '@tollgate/shared/challenges';
import { openKeyRing, randomAlphanumerics } from '@tollgate/shared/crypto';
import { openEmbeddedStore } from '@tollgate/shared/store';
import t, { type Test } from 'tap';
import { missSolution, type Work } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import type { Answer } from './client.js';
import { refusal, refusedUnproven } from './refusals.js';
import { CHEAP, eachStore, onRedis, onStore, type Site, type User } from './site.js';
import { SpecificationClient } from './specification-client.js';

/** A user takes longer than `min_seconds`, 1.5 s. */
const READING_MS = 1600;

const WITH_IMAGES = { ...CHEAP, CAPTCHA_NO_SCRIPT: 'image', RATE_LIMIT_NO_SCRIPT: '8' };

t.test('a client written from the specification alone can log in', (t) =>
  eachStore(t, {}, life, startServiceHere),
);

async function life(t: Test, site: Site): Promise<void> {
  let readingMs = READING_MS;
  const read = await openReader(t, site);
  const openClient = () =>
    new SpecificationClient({
      address: site.system.address,
      async readImage(token, png) {
        t.strictSame([...png.subarray(1, 4)], [...Buffer.from('PNG')], 'the link is an image');
        await pause(readingMs);
        return read(token);
      },
    });
  const wrong = (user: User) => ({ email: user.email, password: 'wrong' });

  await t.test('logs in, sends requests, refreshes', async (t) => {
    const client = openClient();
    const { status, accessToken = '', cookie = '' } = await client.logIn(await site.newUser());
    t.equal(status, 200);
    t.equal(await client.profile(accessToken), 200);
    const refreshed = await client.refresh(cookie);
    t.equal(refreshed.status, 200);
    t.equal(await client.profile(refreshed.accessToken ?? ''), 200);
  });

  await t.test('one wrong password locked the client out: the right one after it succeeds', async (t) => {
    const [client, user] = [openClient(), await site.newUser()];
    t.match(await client.logIn(wrong(user)), { status: 422, message: String, captchaRequired: false });
    t.equal((await client.logIn(user)).status, 200);
  });

  await t.test('wrong, wrong, image: too fast, wrong answer, wrong work, correct', async (t) => {
    const [client, user] = [openClient(), await site.newUser()];
    t.match(await client.logIn(wrong(user)), { status: 422, captchaRequired: false });
    t.match(await client.logIn(wrong(user)), { status: 422, captchaRequired: true });

    readingMs = 0;
    t.match(await client.logIn(user), { status: 422, captchaRequired: true }, 'too fast');
    readingMs = READING_MS;
    const misread = (fields: object) => ({ ...fields, captcha: 'zzzzzz' });
    t.match(await client.logIn(user, misread), { status: 422, captchaRequired: true }, 'wrongly read');
    const unsolved = (fields: object, work: Work) => ({ ...fields, pow_nonce: missSolution(work) });
    t.match(await client.logIn(user, unsolved), { status: 422, captchaRequired: true }, 'wrong work');
    t.equal((await client.logIn(user)).status, 200);

    t.match(await client.logIn(wrong(user)), { status: 422, captchaRequired: false }, 'the count restarted');
    t.equal((await client.logIn(user)).status, 200);
  });

  await t.test('failures caused by a stranger lock nobody out', async (t) => {
    const [client, user] = [openClient(), await site.newUser()];
    await site.tryLogIn(wrong(user), { ip: site.newAddress() });
    t.equal((await client.logIn(user)).status, 422, 'rejected once: the price of the account has risen');
    t.equal((await client.logIn(user)).status, 200);

    for (let n = 0; n < 2; n++) await site.tryLogIn(wrong(user), { ip: site.newAddress() });
    t.match(await client.logIn(user), { status: 422, captchaRequired: true });
    t.equal((await client.logIn(user)).status, 200, 'with an image');
  });

  await t.test('missing or malformed fields do not affect later logins', async (t) => {
    const [client, user] = [openClient(), await site.newUser()];
    for (const spoil of [
      ({ pow_nonce: _nonce, ...fields }: Readonly<Record<string, unknown>>) => fields,
      (fields: object) => ({ ...fields, pow_token: 'x' }),
      (fields: object) => ({ ...fields, pow_nonce: '007' }),
      (fields: object) => ({ ...fields, email: undefined }),
    ]) {
      t.match(await client.logIn(user, spoil), { status: 422, captchaRequired: false });
    }
    t.equal((await client.logIn(user)).status, 200);
  });
}

/** Solves an image like a user: derives its characters from the record and the secret. */
async function openReader(t: Test, site: Site): Promise<(token: string) => Promise<string>> {
  const { current } = openKeyRing(site.system.secrets.CHALLENGE_SECRET ?? '');
  const { image } = challengeKeys('captcha', slotTag);
  const file = site.redis === undefined ? openEmbeddedStore(site.storeFile) : undefined;
  t.teardown(() => file?.close());
  return async (token) => {
    const line = (await (site.redis?.client.get(image(token)) ?? file?.read(image(token)))) ?? '';
    const record = parseAnswerRecord(parseVerifiedRecord(line)?.rest ?? '');
    if (record === null) throw new Error('the store has no image of this token');
    return answerText(drawKey(current), token, record.seed, defaultPreset);
  };
}

t.test('login by an image alone', async (t) => {
  await onRedis(t, WITH_IMAGES, withoutScript);
  await t.test('on the embedded store', (t) =>
    onStore(t, 'embedded', WITH_IMAGES, withoutScript, {}, startServiceHere),
  );
});

async function withoutScript(t: Test, site: Site): Promise<void> {
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
