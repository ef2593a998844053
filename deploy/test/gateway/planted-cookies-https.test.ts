// A page on a sibling subdomain plants a valid refresh cookie of its own: over https, in a real browser.
import t from 'tap';
import { HOST, openSite, PATHS } from './planting-site.js';

const PLACES = PATHS.flatMap((path) => [`Path=${path}`, `Path=${path}; Partitioned`]);

t.setTimeout(300_000);

const { openPage, plant, logIn, send, stolenSession, endSession, refreshCookies } = await openSite(t);

t.test('one refresh is refused, and the log-in that follows works for good', async (t) => {
  const { context, page } = await openPage(t);
  t.equal(await logIn(page), '200');
  for (const place of PLACES) {
    await plant(context, place, (await stolenSession()).cookie);
    t.equal(await send(page, 'refresh'), '401 cookie_conflict', place);
    t.equal(await send(page, 'refresh'), '200', 'the planted cookie is gone');
    t.equal(await logIn(page), '200');
    for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
    t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
  }
});

t.test('a log-in after the planting ends the conflict at once', async (t) => {
  const { context, page } = await openPage(t);
  for (const place of PLACES) await plant(context, place, (await stolenSession()).cookie);
  t.equal((await refreshCookies(context)).length, PLACES.length, 'all of them are there');
  t.equal(await logIn(page), '200');
  for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
  t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
});

t.test('a planted session that has ended disturbs nobody', async (t) => {
  const { context, page } = await openPage(t);
  t.equal(await logIn(page), '200');
  for (const place of PLACES) {
    const { cookie, accessToken } = await stolenSession();
    await endSession(accessToken);
    await plant(context, place, cookie);
  }
  for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
  t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
});

t.test(
  'a sibling that plants again after every answer keeps the owner out for as long as its page is open',
  async (t) => {
    const { context, page } = await openPage(t);
    const { cookie } = await stolenSession();
    for (let n = 0; n < 2; n++) {
      t.equal(await logIn(page), '200');
      await plant(context, 'Path=/auth/refresh; Partitioned', cookie);
      t.equal(await send(page, 'refresh'), '401 cookie_conflict');
    }
    t.equal(await logIn(page), '200');
    t.equal(await send(page, 'refresh'), '200', 'and no longer');
  },
);
