// With COOKIE_PREFIX=__Host- the cookies planted by a sibling subdomain have no effect: over https, in a real browser.
import t from 'tap';
import { HOST, openSite, PATHS } from './planting-site.js';

const NAMES = ['__Host-refreshToken', '__Secure-refreshToken', 'refreshToken'];

t.setTimeout(300_000);

const { openPage, plant, logIn, send, stolenSession, refreshCookies } = await openSite(t, {
  COOKIE_PREFIX: '__Host-',
});

t.test('before any session exists nobody is logged in as the attacker', async (t) => {
  const { context, page } = await openPage(t);
  const { cookie } = await stolenSession();
  for (const name of NAMES) for (const path of PATHS) await plant(context, `Path=${path}`, cookie, name);
  const planted = await refreshCookies(context);
  t.equal(planted.length, 2 * PATHS.length, 'the browser rejects the protected name');
  t.equal(await send(page, 'refresh'), '401 token_invalid');
  t.equal(await logIn(page), '200');
  t.equal(await send(page, 'refresh'), '200');
});

t.test('repeated planting by a sibling disturbs no refresh', async (t) => {
  const { context, page } = await openPage(t);
  t.equal(await logIn(page), '200');
  t.strictSame(await refreshCookies(context), [`__Host-refreshToken ${HOST} /`]);
  for (let n = 0; n < 3; n++) {
    await plant(context, 'Path=/auth/refresh; Partitioned', (await stolenSession()).cookie);
    t.equal(await send(page, 'refresh'), '200');
  }
});
