// The whole system with access tokens in the format `public`: an application without a secret verifies them through the
// gateway.

import { bearerGuard } from '@tollgate/fastify';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { CHEAP, onRedis, type Site } from './site.js';

t.test('public tokens', (t) => onRedis(t, { ...CHEAP, ACCESS_TOKEN_FORMAT: 'public' }, tests));

async function tests(t: Test, site: Site): Promise<void> {
  const { gateway } = site;
  const { address } = site.system;
  const user = await site.newUser();
  const { accessToken, cookie } = await site.logIn(user);

  await t.test('the gateway forwards the keys, with their cache lifetime', async (t) => {
    const answer = await gateway.get('/.well-known/jwks.json');
    t.equal(answer.status, 200);
    t.match(answer.headers, { 'cache-control': 'public, max-age=300', etag: /^"/ });
    const { kid } = JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString());
    t.strictSame(
      answer.json.keys.map((key: { kid: string }) => key.kid),
      [kid],
    );
    const again = { 'if-none-match': String(answer.headers.etag) };
    t.equal((await gateway.get('/.well-known/jwks.json', { headers: again })).status, 304);
  });

  await t.test('an application verifies them with only the address of the keys', async (t) => {
    const app = Fastify();
    t.teardown(() => app.close());
    const environment = {
      ACCESS_JWKS_URL: `${address}/.well-known/jwks.json`,
      ACCESS_TOKEN_ISSUER: address,
      ACCESS_TOKEN_AUDIENCE: address,
    };
    await app.register(bearerGuard, { environment });
    app.get('/', { onRequest: app.requireBearer }, async ({ bearer }) => ({
      id: bearer?.id,
      email: bearer?.email,
    }));
    const ask = (token: string) => app.inject({ url: '/', headers: { authorization: `Bearer ${token}` } });
    t.strictSame((await ask(accessToken)).json(), { id: user.id, email: user.email });
    const refreshed = (await site.refresh(cookie)).json.accessToken;
    t.strictSame((await ask(refreshed)).json(), { id: user.id, email: user.email });
    t.equal((await ask(`${accessToken}x`)).statusCode, 401);
  });

  await t.test('every route accepts them', async (t) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    t.equal((await gateway.get('/profile', { headers })).status, 200);
    t.equal((await gateway.get('/verify', { headers })).status, 204);
    t.equal((await gateway.post('/logout', { headers })).status, 204);
    t.equal((await gateway.get('/profile', { headers })).json.code, 'session_revoked');
  });
}
