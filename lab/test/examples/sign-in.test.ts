// docs/examples/sign-in: a real OpenID provider, passkeys with Chromium's authenticator, and an e-mail link, each in an
// application beside the running services, in a browser.

import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '@tollgate/test-support/free-port.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { examples } from '@tollgate/tests/examples/hosts.js';
import { freePorts } from '@tollgate/tests/launcher/launch.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

interface Tollgate {
  readonly publicUrl: string;
  readonly adminUrl: string;
  readonly apiKey: string;
  readonly origin: string;
}

interface Application {
  listen(at: { port: number; host: string }): Promise<string>;
  close(): Promise<void>;
  inject(request: object): Promise<{ readonly statusCode: number; readonly body: string }>;
}

type Build = (options: object) => Promise<Application>;

const API_KEY = 'session-key-of-the-sign-in-example-0123';
const ANN = { email: 'ann@example.com', password: 'a long enough password' };
const MISSING = 'nobody@example.com';

const port = await freePort();
const origin = `http://localhost:${port}`;
const system: System = await startSystem({
  startService: startServiceHere,
  environment: {
    ...freePorts,
    DATA_DIR: t.testdir(),
    CORS_ORIGIN: origin,
    SESSION_API_KEY: API_KEY,
    CAPTCHA_POW_ENABLED: 'false',
    CAPTCHA_ESCALATION_AFTER: '100',
  },
  accounts: [ANN],
});
t.teardown(() => system.stop());
const browser = await launchBrowser();
t.teardown(() => browser.close());

const tollgate: Tollgate = {
  publicUrl: `${system.address}/`,
  adminUrl: `http://127.0.0.1:${system.ports.sessionAdmin}`,
  apiKey: API_KEY,
  origin,
};
/** The user of the example; the demo account is the first. */
const ANN_ID = 2;

/** A copy of the example in the lab, which has the packages that it imports. */
const example = fileURLToPath(new URL('../../sign-in/', import.meta.url));
cpSync(join(examples, 'sign-in'), example, { recursive: true });

/** Starts one of the applications at the origin that the services accept. */
async function start(t: Test, file: string, build: string, options: object): Promise<Application> {
  const module = await import(pathToFileURL(join(example, file)).href);
  const app = await (module[build] as Build)({ tollgate, ...options });
  await app.listen({ port, host: '127.0.0.1' });
  t.teardown(() => app.close());
  return app;
}

async function open(t: Test): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB' });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.on('pageerror', (error) => t.fail(`error in the page: ${error.message}`));
  return page;
}

const stateIs = (page: Page, state: string) => page.locator('output', { hasText: state }).waitFor();

/** Checks the signed-in user and the tokens, also after a reload. */
async function isAnn(t: Test, page: Page, amr: readonly string[] | undefined): Promise<void> {
  await stateIs(page, 'signed-in');
  const requests = [
    page.waitForResponse((response) => response.url() === `${tollgate.publicUrl}refresh`),
    page.goto(origin),
  ] as const;
  const { accessToken } = await (await Promise.all(requests))[0].json();
  await stateIs(page, 'signed-in');
  const answer = await fetch(`${tollgate.adminUrl}/introspect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}` },
    body: new URLSearchParams({ token: accessToken }),
  });
  const claims = (await answer.json()) as Record<string, unknown>;
  t.match(claims, { active: true, sub: String(ANN_ID), email: ANN.email });
  t.strictSame(claims.amr, amr);
  t.ok(Math.abs(Number(claims.auth_time) - Date.now() / 1000) < 120);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await stateIs(page, 'signed-out');
}

t.test('OpenID Connect: the account of a provider opens a session', async (t) => {
  const provider = await startProvider(t);
  const { allowInsecureRequests } = await import('openid-client');
  const seen: object[] = [];
  const app = await start(t, 'oidc.js', 'buildOidc', {
    provider: { ...provider, execute: [allowInsecureRequests] },
    userOf: async (claims: { sub: string }) => {
      seen.push(claims);
      return claims.sub === 'ann' ? ANN_ID : undefined;
    },
  });
  const page = await open(t);
  await page.goto(origin);
  await stateIs(page, 'signed-out');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await atProvider(page, 'ann');
  await page.waitForURL(`${origin}/callback`, { waitUntil: 'load' });
  await isAnn(t, page, undefined);
  t.match(seen, [{ iss: provider.issuer, sub: 'ann' }]);

  const stranger = await open(t);
  await stranger.goto(`${origin}/sign-in`);
  await atProvider(stranger, 'somebody');
  await stranger.getByText('The sign-in failed.').waitFor();
  await stateIs(stranger, 'signed-out');

  const forged = await app.inject({ url: '/callback?code=x&state=y' });
  t.equal(forged.statusCode, 403, 'a browser without a started login');
  const foreign = { flow: JSON.stringify({ expectedState: 'y', expectedNonce: 'n', pkceCodeVerifier: 'v' }) };
  const refused = await app.inject({ url: '/callback?code=x&state=y', cookies: foreign });
  t.equal(refused.statusCode, 403, 'a code that the provider has not issued');
  t.equal(seen.length, 2);
});

t.test('an e-mail link opens a session, once, in the browser that requested it', async (t) => {
  const mails: { email: string; link: string }[] = [];
  const app = await start(t, 'magic-link.js', 'buildMagicLink', {
    userOf: async (email: string) => (email === ANN.email ? ANN_ID : undefined),
    send: async (email: string, link: string) => void mails.push({ email, link }),
  });
  const page = await open(t);
  await page.goto(origin);
  const ask = async (email: string) => {
    await page.locator('[name=email]').fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('a mail is on its way').waitFor();
  };
  await ask(MISSING);
  t.strictSame(mails, [], 'the page shows the same, and no mail is sent');
  await page.goto(origin);
  await ask(ANN.email);
  t.equal(mails.length, 1);
  const link = mails[0]?.link ?? '';

  const other = await open(t);
  await other.goto(link);
  await other.getByText('open the link where you asked for it').waitFor();
  await stateIs(other, 'signed-out');

  await page.goto('about:blank');
  await page.goto(link);
  await stateIs(page, 'signed-in');
  t.equal(page.url(), `${origin}/`, 'the token has been removed from the address');
  await isAnn(t, page, ['otp']);
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('open the link where you asked for it').waitFor();
  for (const payload of [{}, { token: 5 }, { token: '__proto__' }, { token: 'x'.repeat(300) }]) {
    const answer = await app.inject({ method: 'POST', url: '/link', payload });
    t.ok([400, 403].includes(answer.statusCode), JSON.stringify(payload));
  }
});

t.test('a passkey that a signed-in user has added opens a session without a password', async (t) => {
  const app = await start(t, 'passkeys.js', 'buildPasskeys', {});
  const page = await open(t);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(origin);
  await stateIs(page, 'signed-out');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('Please sign in.').waitFor();
  await page.locator('[name=email]').fill(ANN.email);
  await page.locator('[name=password]').fill(ANN.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await stateIs(page, 'signed-in');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey is added.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await stateIs(page, 'signed-out');

  for (let times = 0; times < 2; times++) {
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await isAnn(t, page, ['hwk', 'user']);
  }
  for (const url of ['/passkeys', '/sign-in']) {
    for (const payload of [{}, { id: '__proto__' }, { id: 5, response: null }, []]) {
      const answer = await app.inject({ method: 'POST', url, payload });
      t.equal(answer.statusCode, 403, `${url} ${JSON.stringify(payload)}`);
    }
  }
});

/** Logs in at the provider's pages, and consents. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.locator('[name=login]').fill(login);
  await page.locator('[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** An OpenID provider in which everybody has an account, with its own login and consent pages. */
async function startProvider(t: Test) {
  // The package has no types.
  const name = 'oidc-provider';
  const { default: Provider } = await import(name);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const client = { clientId: 'example', clientSecret: 'the secret of the example at the provider' };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [`${origin}/callback`],
      },
    ],
    claims: { openid: ['sub', 'auth_time'], email: ['email'] },
    conformIdTokenClaims: false,
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.com` }),
    }),
    cookies: { keys: ['a key for the cookies of the provider'] },
  });
  server.on('request', provider.callback());
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { issuer, ...client };
}
