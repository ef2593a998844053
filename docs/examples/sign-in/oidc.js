// Sign-in with an OpenID provider: the authorization code flow with PKCE, and a session of Tollgate behind it.
import cookie from '@fastify/cookie';
import Fastify from 'fastify';
import * as openid from 'openid-client';
import { page, servePages, signInCode } from './tollgate.js';

/** The provider must have asked for the password within this time, in seconds. */
const MAX_AGE = 3600;

/**
 * @param {object} options
 * @param {import('./tollgate.js').Tollgate} options.tollgate
 * @param {{ issuer: string, clientId: string, clientSecret: string, execute?: [] }} options.provider as registered there
 * @param {(claims: { iss: string, sub: string, email?: string }) => Promise<number | undefined>} options.userOf finds the
 *   user of an account of the provider. Look it up by `iss` and `sub`: an address may change its owner
 */
export async function buildOidc({ tollgate, provider, userOf }) {
  const { issuer, clientId, clientSecret, execute } = provider;
  const config = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute });
  const callback = `${tollgate.origin}/callback`;
  const app = Fastify({ logger: true });
  await app.register(cookie);
  servePages(app);

  // The provider sends the browser here from another site: a strict cookie would stay behind.
  const flow = {
    httpOnly: true,
    secure: tollgate.origin.startsWith('https:'),
    sameSite: /** @type {'lax'} */ ('lax'),
    path: '/callback',
  };

  app.get('/', async (_request, reply) =>
    reply.type('text/html').send(page(tollgate, { content: '<a href="/sign-in">Sign in</a>' })),
  );

  app.get('/sign-in', async (_request, reply) => {
    const checks = {
      pkceCodeVerifier: openid.randomPKCECodeVerifier(),
      expectedState: openid.randomState(),
      expectedNonce: openid.randomNonce(),
    };
    const to = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid email',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      max_age: String(MAX_AGE),
    });
    // In the browser that begins: nobody can finish this sign-in in another one.
    return reply.setCookie('flow', JSON.stringify(checks), { ...flow, maxAge: 600 }).redirect(to.href);
  });

  app.get('/callback', async (request, reply) => {
    reply.clearCookie('flow', flow).type('text/html');
    try {
      const checks = { ...JSON.parse(request.cookies.flow ?? '{}'), maxAge: MAX_AGE, idTokenExpected: true };
      if (checks.expectedState === undefined) throw new Error('this browser has not begun a sign-in');
      const tokens = await openid.authorizationCodeGrant(config, new URL(request.url, callback), checks);
      const { iss, sub, email, amr, auth_time } = /** @type {any} */ (tokens.claims());
      const userId = await userOf({ iss, sub, email });
      if (userId === undefined) throw new Error('the account has no user here');
      return page(tollgate, { code: await signInCode(tollgate, userId, { amr, auth_time }) });
    } catch (error) {
      request.log.warn(error);
      return reply.code(403).send(page(tollgate, { content: '<p>The sign-in failed.</p>' }));
    }
  });
  return app;
}
