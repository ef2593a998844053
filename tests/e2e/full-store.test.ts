// A store filled with challenges by strangers returned 503 for everybody: existing sessions continue.

import t, { type Test } from 'tap';
import { CHEAP, onRedis, type Site } from './site.js';

t.setTimeout(300_000);

t.test('a Redis without memory left', (t) => onRedis(t, CHEAP, full));

async function full(t: Test, site: Site): Promise<void> {
  const { gateway, redis } = site;
  if (redis === undefined) throw new TypeError('requires Redis');
  const user = await site.newUser();
  const signedIn = await site.logIn(user);
  await site.tryLogIn({ email: user.email, password: 'wrong' });
  const scope = await site.scopeOf(user.email);
  const [work, wrongWork] = [await site.work({ scope }), await site.work({ scope })];
  const image = await site.image();
  const headers = { authorization: `Bearer ${signedIn.accessToken}` };

  await redis.client.config('SET', 'maxmemory', '1');
  for (const path of ['/api/captcha/pow', '/api/captcha', '/api/captcha?preset=effort']) {
    const { status, json, headers } = await gateway.get(path);
    t.strictSame([status, json.code, headers['retry-after']], [503, 'store_unavailable', '1'], path);
  }

  const wrong = await gateway.post('/login', {
    body: { ...user, password: 'wrong', ...wrongWork, ...image },
  });
  t.match(wrong, { status: 422, json: { code: 'login_failed', pow_scope: String } }, 'a check');
  const again = await gateway.post('/login', { body: { ...user, ...wrongWork, ...image } });
  t.match(again, { status: 422, json: { code: 'pow_invalid' } }, 'a spent challenge stays spent');
  const refreshed = await site.refresh(signedIn.cookie);
  t.equal(refreshed.status, 200, 'a refresh');
  t.equal((await gateway.get('/profile', { headers })).status, 200);
  t.equal((await gateway.get('/sessions', { headers })).status, 200);

  await redis.client.config('SET', 'maxmemory', '0');
  const picture = await site.image();
  await redis.client.config('SET', 'maxmemory', '1');
  const logIn = await gateway.post('/login', { body: { ...user, ...work, ...picture } });
  t.equal(logIn.status, 200, 'a login of a user with another session');
  t.equal((await gateway.post('/logout', { headers })).status, 204, 'a logout');
  t.equal((await site.refresh(refreshed.cookies[0]?.split(';')[0] ?? '')).json.code, 'session_revoked');

  await redis.client.config('SET', 'maxmemory', '0');
  t.equal((await gateway.get('/api/captcha/pow')).status, 200, 'with free memory everything works');
  await site.logIn(await site.newUser());
}
