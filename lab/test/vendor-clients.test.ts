// Clients for the three vendors, unmodified and used as documented, with the running service.

import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { GoogleRecaptchaModule, GoogleRecaptchaValidator } from '@nestlab/google-recaptcha';
import { openSites, SECRETS } from '@tollgate/challenge-service/extensions/drop-in/test/served-sites.js';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import { betterAuth } from 'better-auth';
import { type MemoryDB, memoryAdapter } from 'better-auth/adapters/memory';
import { captcha } from 'better-auth/plugins/captcha';
import turnstile from 'cf-turnstile';
import t, { type Test } from 'tap';

/** The sites behind a port. */
async function listen(t: Test) {
  const sites = await openSites(t, embeddedStore(t).store);
  await sites.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = sites.app.server.address() as AddressInfo;
  return { sites, prefix: `http://127.0.0.1:${port}/api/captcha` };
}

/** A better-auth application with this captcha at its login; returns the status of an attempt with a token. */
function signIn(options: Parameters<typeof captcha>[0]) {
  const auth = betterAuth({
    baseURL: 'https://shop.example',
    secret: 'a-secret-of-the-application-in-the-test',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] } as MemoryDB),
    emailAndPassword: { enabled: true },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [captcha(options)],
  });
  return async (token: string): Promise<number> => {
    const response = await auth.handler(
      new Request('https://shop.example/api/auth/sign-in/email', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-captcha-response': token,
          'x-forwarded-for': '203.0.113.7',
          origin: 'https://shop.example',
        },
        body: JSON.stringify({ email: 'nobody@shop.example', password: 'a wrong password' }),
      }),
    );
    return response.status;
  };
}

/** The statuses of better-auth: the login was tried and failed, or was rejected because of the captcha. */
const TRIED = 401;
const REFUSED = 403;

t.test('better-auth: each of its three providers accepts a receipt once', async (t) => {
  const { sites, prefix } = await listen(t);
  const siteVerifyURLOverride = `${prefix}/siteverify`;
  const allowedHostnames: string[] = ['shop.example'];
  const common = { secretKey: SECRETS.shop, siteVerifyURLOverride };
  const providers = [
    ['turnstile', { provider: 'cloudflare-turnstile', expectedAction: 'sign-in', allowedHostnames }],
    ['recaptcha', { provider: 'google-recaptcha', expectedAction: 'sign-in', allowedHostnames }],
    ['hcaptcha', { provider: 'hcaptcha', siteKey: 'shop' }],
  ] as const;
  for (const [api, options] of providers) {
    const attempt = signIn({ ...common, ...options } as Parameters<typeof captcha>[0]);
    const receipt = await sites.receipt('shop', { api, action: 'sign-in' });
    t.equal(await attempt(receipt), TRIED, api);
    t.equal(await attempt(receipt), REFUSED, `${api}: spent`);
    t.equal(await attempt('forged'), REFUSED, `${api}: forged`);
    t.equal(await attempt(await sites.receipt('forum', { api })), REFUSED, `${api}: of another site`);
  }
  const expecting = signIn({ ...common, ...providers[0][1] });
  const otherAction = await sites.receipt('shop', { api: 'turnstile', action: 'pay' });
  t.equal(await expecting(otherAction), REFUSED, 'another action');
  const strict = signIn({ ...common, provider: 'google-recaptcha', minScore: 0.95 });
  t.equal(
    await strict(await sites.receipt('shop', { api: 'recaptcha', action: 'pay' })),
    REFUSED,
    'the score counts',
  );
  t.equal(await strict(await sites.receipt('shop', { api: 'recaptcha' })), TRIED, 'v2 has no score');
  const mismatch = signIn({ ...common, provider: 'hcaptcha', siteKey: 'forum' });
  t.equal(await mismatch(await sites.receipt('shop', { api: 'hcaptcha' })), REFUSED);
});

t.test('cf-turnstile reads host name, action and cdata', async (t) => {
  const { sites, prefix } = await listen(t);
  // Its types say that it has a default export; what it exports is the function.
  const client = turnstile as unknown as typeof turnstile.default;
  const verify = client(SECRETS.shop, { apiUrl: `${prefix}/turnstile/v0/siteverify` });
  const receipt = await sites.receipt('shop', { api: 'turnstile', action: 'pay', cdata: 'order-1' });
  const expected = { hostname: 'shop.example', action: 'pay', cdata: 'order-1' };
  t.match(await verify(receipt, { ...expected, remoteip: '203.0.113.7' }), { success: true, ...expected });
  t.match(await verify(receipt), { success: false, errors: ['timeout-or-duplicate'] });
  t.match(await verify('forged'), { success: false, errors: ['invalid-input-response'] });
  const other = await sites.receipt('shop', { api: 'turnstile', action: 'pay' });
  t.match(await verify(other, { action: 'sign-in' }), { success: false });
});

t.test('@nestlab/google-recaptcha accepts v2 and v3', async (t) => {
  const { sites, prefix } = await listen(t);
  const module = GoogleRecaptchaModule.forRoot({
    secretKey: SECRETS.shop,
    response: (request) => request.headers.recaptcha,
    network: `${prefix}/recaptcha/api/siteverify`,
    score: 0.8,
    actions: ['pay'],
  });
  const context = await NestFactory.createApplicationContext(module, { logger: false });
  t.teardown(() => context.close());
  const validator = context.get(GoogleRecaptchaValidator);
  const validate = async (response: string) => {
    const { success, errors } = await validator.validate({ response });
    return { success, errors };
  };
  const v3 = await sites.receipt('shop', { api: 'recaptcha', action: 'pay' });
  t.strictSame(await validate(v3), { success: true, errors: [] });
  t.strictSame(await validate(v3), { success: false, errors: ['timeout-or-duplicate'] });
  t.strictSame(await validate('forged'), { success: false, errors: ['invalid-input-response'] });
  t.match(await validate(await sites.receipt('shop', { api: 'recaptcha', action: 'sign-in' })), {
    success: false,
  });
  t.strictSame(await validate(await sites.receipt('shop', { api: 'recaptcha' })), {
    success: true,
    errors: [],
  });
});
