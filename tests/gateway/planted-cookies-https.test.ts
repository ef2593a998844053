// A page on a sibling subdomain plants its own valid refresh cookie: over https, in a real browser.
import t from 'tap';
import { HOST, openSite, PATHS } from './planting-site.js';

const PLACES = PATHS.flatMap((path) => [`Path=${path}`, `Path=${path}; Partitioned`]);

t.setTimeout(300_000);

const { openPage, plant, logIn, send, stolenSession, endSession, refreshCookies } = await openSite(t);

t.test('one refresh is rejected, its repetition works, and so does a subsequent login', async (t) => {
  const { context, page } = await openPage(t);
  t.equal(await logIn(page), '200');
  for (const place of PLACES) {
    await plant(context, place, (await stolenSession()).cookie);
    t.equal(await send(page, 'refresh'), '401 cookie_conflict', place);
    t.equal(await send(page, 'refresh'), '200', 'the planted cookie is removed');
    t.equal(await logIn(page), '200');
    for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
    t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
  }
});

t.test('after planting before the login, one refresh is rejected and its repetition works', async (t) => {
  const { context, page } = await openPage(t);
  for (const place of PLACES) await plant(context, place, (await stolenSession()).cookie);
  t.equal((await refreshCookies(context)).length, PLACES.length, 'all of them are set');
  t.equal(await logIn(page), '200');
  t.equal(await send(page, 'refresh'), '401 cookie_conflict');
  for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
  t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
});

t.test('ended planted sessions disturb nobody, unless they are too many to be read', async (t) => {
  const { context, page } = await openPage(t);
  t.equal(await logIn(page), '200');
  const plantEnded = async (places: readonly string[]) => {
    for (const place of places) {
      const { cookie, accessToken } = await stolenSession();
      await endSession(accessToken);
      await plant(context, place, cookie);
    }
  };
  await plantEnded(PLACES.slice(1));
  for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
  t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
  await plantEnded(PLACES);
  t.equal(await send(page, 'refresh'), '401 cookie_conflict', 'with ours, more than eight are not read');
  for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
  t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
});

t.test(
  'a sibling that plants again after every response keeps the owner out while its page is open',
  async (t) => {
    const { context, page } = await openPage(t);
    const { cookie } = await stolenSession();
    for (let n = 0; n < 2; n++) {
      t.equal(await logIn(page), '200');
      await plant(context, 'Path=/auth/refresh; Partitioned', cookie);
      t.equal(await send(page, 'refresh'), '401 cookie_conflict');
    }
    t.equal(await send(page, 'refresh'), '200', 'and no longer');
  },
);
