// Common properties of all responses: headers, language, error bodies; and that the OpenAPI documents match exactly.

import { newDevice, refreshProof } from '@tollgate/test-support/device-key.js';
import t, { type Test } from 'tap';
import { SITE } from '../monitoring/site-traffic.js';
import type { Answer, Client } from './client.js';
import { undocumented } from './contract.js';
import { refusal } from './refusals.js';
import { CHEAP, onRedis, type Site } from './site.js';

t.test('answers', (t) => onRedis(t, { ...CHEAP, ...SITE, CAPTCHA_NO_SCRIPT: 'image' }, tests));

async function tests(t: Test, site: Site): Promise<void> {
  await t.test('every response has the security headers and no-store', (t) => headers(t, site));
  await t.test('every failure has a message and a code in the requested language', (t) => languages(t, site));
  await t.test('a method that a path does not support is 405', (t) => methods(t, site));
  await t.test('missing images, and invalid names', (t) => lookUps(t, site));
  await t.test('presets', (t) => presets(t, site));
  await t.test('pages of the one allowed origin may read the responses', (t) => crossOrigin(t, site));
  await t.test('the OpenAPI documents are complete', (t) => openApi(t, site));
  await t.test('health', async (t) => {
    const checks = { images: 'ok', store: 'ok' };
    const ready = await site.challengeAdmin.get('/health/ready');
    t.strictSame([ready.status, ready.json], [200, { status: 'ok', checks }]);
    const own = { store: 'ok', challenge_store: 'ok', directory: 'ok' };
    t.strictSame((await site.sessionAdmin.get('/health/ready')).json, { status: 'ok', checks: own });
    t.strictSame((await site.sessionAdmin.get('/health/live')).json, { status: 'ok' });
    for (const client of [site.session, site.challenge, site.gateway]) {
      t.equal((await client.get('/health/ready')).status, 404, 'only on the admin port');
    }
  });
}

async function headers(t: Test, site: Site): Promise<void> {
  const { gateway, session, challenge } = site;
  const user = await site.newUser();
  const { answer, accessToken, cookie } = await site.logIn(user);
  const authorization = `Bearer ${accessToken}`;
  const image = await site.image();
  const json = { 'content-type': 'application/json' };
  const answers: [number, Answer][] = [
    [200, answer],
    [200, await gateway.get('/api/captcha/pow')],
    [200, await gateway.get('/api/captcha')],
    [200, await gateway.get(`/api/captcha/${image.captcha_token}.png`)],
    [200, await gateway.send('HEAD', `/api/captcha/${image.captcha_token}.png`)],
    [404, await gateway.get('/api/captcha/x.png')],
    [404, await gateway.get(`/api/captcha/${'a'.repeat(40)}.png`)],
    [404, await gateway.get('/api/captcha/a/b/c')],
    [404, await gateway.get(`/api/captcha/${'a'.repeat(3000)}`)],
    [422, await gateway.get('/api/captcha?preset=none')],
    [405, await gateway.post('/api/captcha')],
    [204, await gateway.send('OPTIONS', '/api/captcha')],
    [200, await gateway.get('/profile', { headers: { authorization } })],
    [200, await gateway.get('/sessions', { headers: { authorization } })],
    [401, await gateway.get('/sessions')],
    [404, await gateway.delete('/sessions/none', { headers: { authorization } })],
    [204, await gateway.get('/verify', { headers: { authorization } })],
    [401, await gateway.get('/verify')],
    [200, await gateway.get('/api/captcha?preset=effort')],
    [401, await gateway.get('/profile')],
    [200, await site.refresh(cookie)],
    [401, await gateway.post('/refresh')],
    [204, await gateway.delete('/refresh')],
    [204, await gateway.post('/logout', { headers: { authorization } })],
    [401, await gateway.post('/logout')],
    [403, await gateway.post('/login', { headers: { origin: 'null' } })],
    [422, await gateway.post('/login', { body: {} })],
    [400, await gateway.post('/login', { body: '{', headers: json })],
    [413, await gateway.post('/login', { body: 'x'.repeat(20_000), headers: json })],
    [415, await gateway.post('/login', { body: 'x', headers: { 'content-type': 'text/plain' } })],
    [422, await site.tryLogIn({ ...user, password: 'wrong' })],
    [405, await gateway.get('/login')],
    [404, await session.get('/nothing')],
    [404, await session.get('/api/captcha/pow')],
    [404, await challenge.get('/login')],
    [400, await session.get('/%zz')],
    [400, await challenge.get('/api/captcha/%zz.png')],
    [200, await session.get('/openapi.json')],
    [200, await challenge.get('/openapi.json')],
  ];
  for (const [n, [status, { headers, ...answer }]] of answers.entries()) {
    t.equal(answer.status, status, `answer ${n}`);
    t.match(headers, {
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-captcha-test-mode': '1',
    });
    t.equal(headers['strict-transport-security'], undefined, 'this site is not encrypted');
    t.equal(headers['x-powered-by'], undefined);
    t.equal(headers.server, undefined);
    if (status < 400) continue;
    t.match(answer.json, { message: /^[A-Z].*\.$/, code: /^[a-z_]+$/ });
    t.match(headers, { 'content-language': 'en', vary: /\bAccept-Language\b/ });
    t.equal(headers['content-type'], 'application/json; charset=utf-8');
    if (status !== 422) t.strictSame(Object.keys(answer.json).sort(), ['code', 'message']);
  }
}

async function languages(t: Test, site: Site): Promise<void> {
  const table: [string | undefined, 'en' | 'fr' | 'ar'][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['eo', 'en'],
    ['fr', 'fr'],
    ['FR-ca', 'fr'],
    ['ar-EG, fr;q=0.9', 'ar'],
    ['fr;q=0.3, ar;q=0.8, en;q=0.1', 'ar'],
    ['eo, fr;q=0.5', 'fr'],
    ['fr;q=0, *', 'en'],
    ['en;q=0.1, fr;q=0.2', 'fr'],
    ['*', 'en'],
    ['\t;;;=,q', 'en'],
  ];
  const texts = {
    en: ['Some of the data is missing or wrong.', 'This field is required.', 'Not found.'],
    fr: [
      'Certaines données sont manquantes ou incorrectes.',
      'Ce champ est obligatoire.',
      'Il n’y a rien à cette adresse.',
    ],
  };
  for (const [accepted, language] of table) {
    const headers = accepted === undefined ? {} : { 'accept-language': accepted };
    const login = await site.gateway.post('/login', { body: {}, headers });
    const missing = await site.gateway.get('/api/captcha/x', { headers });
    for (const answer of [login, missing]) {
      t.equal(answer.headers['content-language'], language, accepted ?? 'no header');
      t.match(answer.headers.vary, /\bOrigin\b.*\bAccept-Language\b/);
    }
    const seen = [login.json.message, login.json.errors.email[0], missing.json.message];
    if (language === 'ar')
      t.ok(
        seen.every((text) => /^[\u0600-\u06ff]/.test(text)),
        'Arabic',
      );
    else t.strictSame(seen, texts[language]);
    t.strictSame([login.json.code, missing.json.code], ['validation_failed', 'not_found']);
  }
  const french = { 'accept-language': 'fr' };
  const typed = await site.gateway.post('/login', { body: { email: 1, password: 'x' }, headers: french });
  t.strictSame(typed.json.errors.email, ['Cette valeur n’est pas du bon type.']);
  const work = await site.gateway.post('/login', {
    body: { email: 'a@b.example', password: 'x', pow_token: 'short', pow_nonce: '1' },
    headers: french,
  });
  t.strictSame(work.json.errors, { pow_token: ['Cette valeur n’a pas le bon format.'] });
}

async function methods(t: Test, site: Site): Promise<void> {
  const { gateway, session, challenge } = site;
  const has = new Map([
    ['/api/captcha', ['GET', 'HEAD']],
    ['/api/captcha/pow', ['GET', 'HEAD']],
    ['/login', ['POST']],
    ['/refresh', ['POST', 'DELETE']],
    ['/logout', ['POST']],
    ['/profile', ['GET', 'HEAD']],
    ['/sessions', ['GET', 'HEAD', 'DELETE']],
    ['/sessions/x', ['DELETE']],
    ['/verify', ['GET', 'HEAD']],
    ['/.well-known/jwks.json', ['GET', 'HEAD']],
  ]);
  for (const [path, own] of has) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter(
      (name) => !own.includes(name),
    )) {
      const client = method === 'TRACE' ? (path.startsWith('/api') ? challenge : session) : gateway;
      const { status, headers, text } = await client.send(method, path);
      const code = method === 'HEAD' ? 'method_not_allowed' : JSON.parse(text).code;
      const allow = [...own, 'OPTIONS'].toSorted().join(', ');
      t.strictSame([status, code, headers.allow], [405, 'method_not_allowed', allow], `${method} ${path}`);
    }
  }
  for (const path of [
    '/login/',
    '/refresh/x',
    '/api/captcha/',
    '/api/captcha/pow/',
    '/LOGIN',
    '/api/captcha/pow.png',
  ]) {
    t.equal((await gateway.get(path)).status, 404, path);
  }
}

async function lookUps(t: Test, site: Site): Promise<void> {
  const { captcha_token: token } = await site.image();
  const { pow_token: work } = await site.work();
  for (const name of [
    `${'a'.repeat(40)}.png`,
    `${work}.png`,
    `${token}`,
    `${token}.PNG`,
    `${token}.jpg`,
    `${token}.png.png`,
    `${token}.png/`,
    `${token.slice(1)}.png`,
    `${token}a.png`,
    `${token.slice(1)}%00.png`,
    `%20${token.slice(1)}.png`,
    `..%2f${token}.png`,
    `${token.slice(2)}é.png`,
    '.png',
    '__proto__.png',
    '..%2f..%2fpackage.json',
  ]) {
    const answer = await site.challenge.get(`/api/captcha/${encodeURI(decodeURI(name))}`);
    t.strictSame([answer.status, answer.json], [404, refusal('not_found')], name);
  }
  t.equal((await site.gateway.get(`/api/captcha/${token}.png?width=1`)).status, 200);
  await site.age(121_000);
  t.equal((await site.gateway.get(`/api/captcha/${token}.png`)).status, 404, 'expired');
}

async function presets(t: Test, site: Site): Promise<void> {
  const ask = (query: string) => site.gateway.get(`/api/captcha?${query}`);
  for (const query of ['preset=default', 'preset=', '', 'width=999', 'preset=default&preset2=x']) {
    const { status, json } = await ask(query);
    t.equal(status, 200, query);
    t.strictSame(Object.keys(json).sort(), ['answer', 'expires_at', 'expires_in', 'token', 'url']);
    t.match(json.answer, /^[A-Za-z2-9]{6}$/, 'in test mode the answer is returned');
    t.notMatch(json.answer, /[01OoLlIi5Ss]/, 'without characters that people confuse');
  }
  for (const name of [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'Default',
    'default%20',
    'none',
    '..%2Fdefault',
    '%00',
    'a'.repeat(65),
  ]) {
    const answer = await ask(`preset=${name}`);
    t.strictSame([answer.status, answer.json], [422, refusal('unknown_preset')], name);
  }
  for (const query of ['preset=a&preset=b', 'preset=default&preset=default']) {
    const answer = await ask(query);
    t.match(answer, { status: 200, json: { url: String } }, query.slice(0, 40));
  }
  for (const query of [
    'scope=',
    'scope=forged',
    'scope=a&scope=b',
    `scope=${'a'.repeat(200)}`,
    '__proto__=1',
  ]) {
    t.equal(
      (await site.gateway.get(`/api/captcha/pow?${query}`)).status,
      200,
      'an invalid ticket is ignored',
    );
  }
}

async function crossOrigin(t: Test, site: Site): Promise<void> {
  const { address } = site.system;
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
  for (const path of [
    '/login',
    '/refresh',
    '/logout',
    '/profile',
    '/sessions',
    '/api/captcha',
    '/api/captcha/pow',
  ]) {
    const preflight = await site.gateway.send('OPTIONS', path, { headers: { ...asked, origin: address } });
    t.equal(preflight.status, 204, path);
    t.match(preflight.headers, {
      'access-control-allow-origin': address,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Accept-Language',
      vary: /\bOrigin\b/,
    });
    const foreign = await site.gateway.send('OPTIONS', path, {
      headers: { ...asked, origin: 'https://evil.example' },
    });
    t.equal(foreign.headers['access-control-allow-origin'], undefined, path);
  }
  const own = await site.gateway.get('/api/captcha/pow', { headers: { origin: address } });
  t.match(own.headers, {
    'access-control-allow-origin': address,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
    vary: /\bOrigin\b/,
  });
  const refused = await site.gateway.get('/profile', { headers: { origin: address } });
  t.match(refused.headers, { 'access-control-allow-origin': address, vary: 'Origin, Accept-Language' });
  for (const origin of ['https://evil.example', 'null', undefined]) {
    const answer = await site.gateway.get('/api/captcha/pow', {
      headers: origin === undefined ? {} : { origin },
    });
    t.equal(answer.headers['access-control-allow-origin'], undefined);
    t.match(answer.headers.vary, /\bOrigin\b/);
  }
}

async function openApi(t: Test, site: Site): Promise<void> {
  const read = async (client: Client) => {
    const { status, headers, json } = await client.get('/openapi.json');
    t.equal(status, 200);
    t.equal(headers['content-type'], 'application/json; charset=utf-8');
    t.match(json, { openapi: /^3\.1\./, servers: [{ url: site.system.address }] });
    return json;
  };
  const challenge = await read(site.challenge);
  const session = await read(site.session);
  t.strictSame(routesOf(challenge), [
    'GET /api/captcha',
    'GET /api/captcha/1/api.js',
    'GET /api/captcha/api.js',
    'GET /api/captcha/api/siteverify',
    'GET /api/captcha/classic.js',
    'GET /api/captcha/frame.js',
    'GET /api/captcha/no-script/{token}.png',
    'GET /api/captcha/pow',
    'GET /api/captcha/recaptcha/api.js',
    'GET /api/captcha/recaptcha/api/siteverify',
    'GET /api/captcha/recaptcha/enterprise.js',
    'GET /api/captcha/sites/{sitekey}',
    'GET /api/captcha/sites/{sitekey}/frame',
    'GET /api/captcha/sites/{sitekey}/pow',
    'GET /api/captcha/sites/{sitekey}/{token}.png',
    'GET /api/captcha/siteverify',
    'GET /api/captcha/tollgate.js',
    'GET /api/captcha/tollgate/{language}.js',
    'GET /api/captcha/turnstile/v0/api.js',
    'GET /api/captcha/turnstile/v0/siteverify',
    'GET /api/captcha/v/{version}/classic.js',
    'GET /api/captcha/v/{version}/frame.js',
    'GET /api/captcha/v/{version}/tollgate.js',
    'GET /api/captcha/v/{version}/tollgate/{language}.js',
    'GET /api/captcha/{token}.png',
    'POST /api/captcha/api/siteverify',
    'POST /api/captcha/recaptcha/api/siteverify',
    'POST /api/captcha/sites/{sitekey}/redeem',
    'POST /api/captcha/siteverify',
    'POST /api/captcha/turnstile/v0/siteverify',
  ]);
  t.strictSame(routesOf(session), [
    'DELETE /refresh',
    'DELETE /sessions',
    'DELETE /sessions/{id}',
    'GET /.well-known/jwks.json',
    'GET /profile',
    'GET /sessions',
    'GET /verify',
    'POST /login',
    'POST /login/code',
    'POST /logout',
    'POST /password',
    'POST /reauthenticate',
    'POST /reauthenticate/code',
    'POST /refresh',
    'POST /refresh/bind',
    'POST /refresh/renew',
  ]);

  const user = await site.newUser();
  const image = await site.image();
  const { answer, accessToken, cookie } = await site.logIn(user);
  const proof = refreshProof(newDevice(), `${site.system.address}/login`, undefined);
  const bound = await site.logIn(await site.newUser(), { headers: { 'refresh-proof': proof } });
  const keyless = await site.refresh(bound.cookie);
  t.equal(keyless.json.code, 'binding_required');
  const json = { 'content-type': 'application/json' };
  const xml = { 'content-type': 'text/xml' };
  // biome-ignore lint/suspicious/noExplicitAny: documents from outside
  const seen: [any, string, string, Answer][] = [
    [challenge, '/api/captcha', 'get', await site.gateway.get('/api/captcha')],
    [challenge, '/api/captcha', 'get', await site.gateway.get('/api/captcha?preset=x')],
    [challenge, '/api/captcha', 'get', await site.gateway.get('/api/captcha?preset=effort')],
    [challenge, '/api/captcha/pow', 'get', await site.gateway.get('/api/captcha/pow')],
    [
      challenge,
      '/api/captcha/{token}.png',
      'get',
      await site.gateway.get(`/api/captcha/${image.captcha_token}.png`),
    ],
    [session, '/login', 'post', answer],
    [session, '/login', 'post', await site.gateway.post('/login', { body: {} })],
    [session, '/login/code', 'post', await site.gateway.post('/login/code', { body: {} })],
    [session, '/login/code', 'post', await site.gateway.post('/login/code', { body: { code: 'x' } })],
    [session, '/login', 'post', await site.gateway.post('/login', { body: { email: user.email } })],
    [session, '/reauthenticate', 'post', await site.gateway.post('/reauthenticate', { body: {} })],
    [
      session,
      '/reauthenticate/code',
      'post',
      await site.gateway.post('/reauthenticate/code', {
        body: { code: 'x' },
        headers: { authorization: `Bearer ${accessToken}` },
      }),
    ],
    [session, '/password', 'post', await site.gateway.post('/password', { body: {} })],
    [
      session,
      '/password',
      'post',
      await site.gateway.post('/password', {
        body: { old_password: 'x', new_password: 'x' },
        headers: { authorization: `Bearer ${accessToken}` },
      }),
    ],
    [session, '/refresh', 'post', await site.refresh(cookie)],
    [session, '/refresh', 'post', await site.refresh('')],
    [session, '/refresh', 'post', keyless],
    [session, '/refresh/bind', 'post', await site.gateway.post('/refresh/bind')],
    [session, '/refresh/renew', 'post', await site.gateway.post('/refresh/renew')],
    [
      session,
      '/profile',
      'get',
      await site.gateway.get('/profile', { headers: { authorization: `Bearer ${accessToken}` } }),
    ],
    [session, '/profile', 'get', await site.gateway.get('/profile')],
    [
      session,
      '/sessions',
      'get',
      await site.gateway.get('/sessions', { headers: { authorization: `Bearer ${accessToken}` } }),
    ],
    [session, '/sessions', 'get', await site.gateway.get('/sessions')],
    [
      session,
      '/verify',
      'get',
      await site.gateway.get('/verify', { headers: { authorization: `Bearer ${accessToken}` } }),
    ],
    [session, '/refresh', 'delete', await site.gateway.delete('/refresh')],
    [
      session,
      '/login',
      'post',
      await site.gateway.post('/login', { headers: { origin: 'https://evil.example' } }),
    ],
    [session, '/login', 'post', await site.gateway.send('POST', '/login', { headers: xml, body: '<a/>' })],
    [session, '/login', 'post', await site.gateway.send('POST', '/login', { headers: json, body: '{' })],
    [
      session,
      '/login',
      'post',
      await site.gateway.send('POST', '/login', { headers: json, body: `"${'a'.repeat(20_000)}"` }),
    ],
    [
      session,
      '/sessions/{id}',
      'delete',
      await site.gateway.delete('/sessions/none', { headers: { authorization: `Bearer ${accessToken}` } }),
    ],
    [
      challenge,
      '/api/captcha/{token}.png',
      'get',
      await site.gateway.get(`/api/captcha/${'a'.repeat(40)}.png`),
    ],
    [
      session,
      '/logout',
      'post',
      await site.gateway.post('/logout', { headers: { authorization: `Bearer ${accessToken}` } }),
    ],
  ];
  for (const [document, pattern, method, answer] of seen)
    t.strictSame(
      undocumented(document, { pattern, method }, answer),
      [],
      `${method} ${pattern} ${answer.status}`,
    );
  const { properties, required } =
    session.paths['/login'].post.requestBody.content['application/json'].schema;
  t.strictSame(Object.keys(properties).sort(), [
    'captcha',
    'captcha_token',
    'email',
    'password',
    'pow_nonce',
    'pow_token',
    'remember',
  ]);
  t.strictSame(required, ['email', 'password']);
}

function routesOf(document: { paths: Record<string, object> }): string[] {
  return Object.entries(document.paths)
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
}
