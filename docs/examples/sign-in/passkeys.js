// Sign-in with passkeys, and a session of Tollgate behind it. A signed-in user adds them.
import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import * as webauthn from '@simplewebauthn/server';
import Fastify from 'fastify';
import { introspect, nowSeconds, page, servePages, signInCode } from './tollgate.js';

const CHALLENGE_MS = 120_000;
/** Challenges that are kept; beyond that the oldest is forgotten. */
const MAX_CHALLENGES = 10_000;
/** How long ago the user may have signed in before adding a passkey, in seconds. */
const RECENT = 300;

const CONTENT = `<form><input name="email"><input name="password" type="password"><button>Sign in</button></form>
<button id="passkey">Sign in with a passkey</button>
<button id="add">Add a passkey</button>
<script src="/webauthn.js"></script>
<script type="module">
import { post, session, signIn, tell } from '/page.js';

const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser;
const onClick = (id, run) =>
  document.querySelector(id).addEventListener('click', () => run().catch(({ message }) => tell(message)));

onClick('#passkey', async () => {
  const optionsJSON = await post('/sign-in/options');
  const { code } = await post('/sign-in', await startAuthentication({ optionsJSON }));
  await signIn(code);
});
onClick('#add', async () => {
  const optionsJSON = await post('/passkeys/options');
  await post('/passkeys', await startRegistration({ optionsJSON }));
  tell('The passkey is added.');
});
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const response = await session.login(Object.fromEntries(new FormData(event.target)));
  if (!response.ok) tell((await response.json()).message);
});
</script>`;

/**
 * @param {object} options
 * @param {import('./tollgate.js').Tollgate} options.tollgate
 */
export async function buildPasskeys({ tollgate }) {
  const { origin } = tollgate;
  const rpID = new URL(origin).hostname;
  const expected = { expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true };
  const umd = new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'));
  const app = Fastify({ logger: true });
  await app.register(cookie);
  servePages(app, { '/webauthn.js': umd });
  /** Passkeys by their ids, and challenges by the browsers that have them. Several processes keep both in a store. */
  const passkeys = new Map();
  const challenges = new Map();

  /** Keeps the challenge of some options for this browser, and forgets those that have ended: the oldest end first. */
  const keep = (reply, options, userId) => {
    const browser = randomUUID();
    for (const [oldest, { endsMs }] of challenges) {
      if (endsMs > Date.now() && challenges.size < MAX_CHALLENGES) break;
      challenges.delete(oldest);
    }
    challenges.set(browser, { challenge: options.challenge, userId, endsMs: Date.now() + CHALLENGE_MS });
    reply.setCookie('browser', browser, {
      httpOnly: true,
      secure: origin.startsWith('https:'),
      sameSite: 'strict',
    });
    return options;
  };
  /** Takes the challenge of this browser, once. */
  const take = (request) => {
    const found = challenges.get(request.cookies.browser ?? '');
    challenges.delete(request.cookies.browser ?? '');
    if (found === undefined || found.endsMs <= Date.now()) throw refusal(403, 'Please try again.');
    return found;
  };

  app.get('/', async (_request, reply) => reply.type('text/html').send(page(tollgate, { content: CONTENT })));

  app.post('/passkeys/options', async (request, reply) => {
    const user = await introspect(tollgate, request.headers.authorization);
    if (!user.active) throw refusal(401, 'Please sign in.');
    // A stolen access token must not add a key that outlives it.
    if (!(user.auth_time >= nowSeconds() - RECENT)) throw refusal(403, 'Please sign in again first.');
    const options = await webauthn.generateRegistrationOptions({
      rpName: 'Example',
      rpID,
      userName: user.email,
      userID: new TextEncoder().encode(user.sub),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return keep(reply, options, Number(user.sub));
  });

  app.post('/passkeys', async (request) => {
    const { challenge, userId } = take(request);
    if (userId === undefined) throw refusal(403, 'Please try again.');
    const response = /** @type {any} */ (request.body);
    const result = await webauthn
      .verifyRegistrationResponse({ response, expectedChallenge: challenge, ...expected })
      .catch(() => undefined);
    if (!result?.verified) throw refusal(403, 'This passkey is not valid.');
    const { credential } = result.registrationInfo;
    passkeys.set(credential.id, { userId, credential });
    return {};
  });

  app.post('/sign-in/options', async (_request, reply) =>
    keep(reply, await webauthn.generateAuthenticationOptions({ rpID, userVerification: 'required' })),
  );

  app.post('/sign-in', async (request) => {
    const { challenge } = take(request);
    const response = /** @type {any} */ (request.body);
    const passkey = passkeys.get(response?.id);
    if (passkey === undefined) throw refusal(403, 'This passkey is not known.');
    const { userId, credential } = passkey;
    const result = await webauthn
      .verifyAuthenticationResponse({ response, expectedChallenge: challenge, credential, ...expected })
      .catch(() => undefined);
    if (!result?.verified) throw refusal(403, 'This passkey is not valid.');
    credential.counter = result.authenticationInfo.newCounter;
    return { code: await signInCode(tollgate, userId, { amr: ['hwk', 'user'], auth_time: nowSeconds() }) };
  });
  return app;
}

const refusal = (statusCode, message) => Object.assign(new Error(message), { statusCode });
