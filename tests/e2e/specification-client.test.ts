// A whole login with a client written from the specification alone, on default options.

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
import { openKeyRing } from '@tollgate/shared/crypto';
import { openEmbeddedStore } from '@tollgate/shared/store';
import t, { type Test } from 'tap';
import { missSolution, type Work } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { eachStore, type Site, type User } from './site.js';
import { SpecificationClient } from './specification-client.js';

/** A user takes longer than `min_seconds`, 1.5 s. */
const READING_MS = 1600;

t.setTimeout(300_000);

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
