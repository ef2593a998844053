// COOKIE_PREFIX=__Host-: cookies planted by another host on the site, and a prefix change during sessions.
import type { LightMyRequestResponse } from 'fastify';
import t from 'tap';
import { PASSWORD, type SessionNode, startNode, userDirectory } from './support/session-node.js';
import { onSharedServices } from './support/shared-services.js';

const OWNER = 'owner@example.com';
const THIEF = 'thief@example.com';
const HOST_NAME = '__Host-refreshToken';

/** A browser at https://example.com: stores cookies by name and path, and sends those with a matching path. */
function createBrowser() {
  const jar = new Map<string, { name: string; path: string; value: string }>();
  const keep = (answer: LightMyRequestResponse) => {
    for (const header of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = header.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((text) => text.startsWith('Path='))?.slice(5) ?? '/';
      if (attributes.some((text) => text.startsWith('Domain=') || text === 'Partitioned')) continue;
      if (attributes.includes('Max-Age=0')) jar.delete(`${name} ${path}`);
      else jar.set(`${name} ${path}`, { name, path, value });
    }
  };
  return {
    /** Refresh cookie names and paths. */
    names: () => [...jar.keys()].filter((key) => key.includes('refreshToken')).sort(),
    value: (name: string) => [...jar.values()].find((cookie) => cookie.name === name)?.value ?? '',
    plant: (name: string, value: string, path = '/') => jar.set(`${name} ${path}`, { name, path, value }),
    async send({ app }: SessionNode, method: 'POST' | 'DELETE', url: string, more: object = {}) {
      const cookies = [...jar.values()].filter(({ path }) => path === '/' || path === url);
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      const { headers = {}, ...rest } = more as { headers?: object };
      const all = { origin: 'https://example.com', ...(cookie === '' ? {} : { cookie }), ...headers };
      const answer = await app.inject({ method, url, headers: all, ...rest });
      keep(answer);
      return answer;
    },
  };
}
type Browser = ReturnType<typeof createBrowser>;

const logIn = (browser: Browser, node: SessionNode, email: string) =>
  browser.send(node, 'POST', '/login', { payload: { email, password: PASSWORD } });
const refresh = (browser: Browser, node: SessionNode) => browser.send(node, 'POST', '/refresh');

/** The user logged in by this response, or its error code. */
async function who(node: SessionNode, answer: LightMyRequestResponse): Promise<string> {
  if (answer.statusCode !== 200) return answer.json().code;
  const headers = { authorization: `Bearer ${answer.json().accessToken}` };
  return (await node.app.inject({ url: '/profile', headers })).json().email;
}

const eachService = onSharedServices(async (root, { store }) => {
  const directory = await userDirectory(root, OWNER, THIEF);
  const start = (env: Record<string, string> = {}) => startNode(root, { store, directory, env });
  return { plain: await start(), host: await start({ COOKIE_PREFIX: '__Host-' }) };
});

t.test('a cookie planted before any session exists logs nobody in as the attacker', (t) =>
  eachService(t, async (t, { host }) => {
    const thief = createBrowser();
    await logIn(thief, host, THIEF);
    t.strictSame(thief.names(), [`${HOST_NAME} /`]);
    t.equal(await who(host, await refresh(thief, host)), THIEF);

    const victim = createBrowser();
    for (const name of ['refreshToken', '__Secure-refreshToken'])
      for (const path of ['/', '/refresh']) victim.plant(name, thief.value(HOST_NAME), path);
    t.equal(await who(host, await refresh(victim, host)), 'token_invalid');
    t.equal(await who(host, await logIn(victim, host, OWNER)), OWNER);
    t.equal(await who(host, await refresh(victim, host)), OWNER);
    t.equal(await who(host, await refresh(thief, host)), THIEF, 'nobody has been logged out');
  }),
);

t.test(
  'beside the user’s own session planted cookies change nothing, not even those from before the change',
  (t) =>
    eachService(t, async (t, { plain, host }) => {
      const thief = createBrowser();
      await logIn(thief, plain, THIEF);
      const victim = createBrowser();
      await logIn(victim, host, OWNER);
      for (let n = 0; n < 2; n++) {
        for (const path of ['/', '/refresh']) victim.plant('refreshToken', thief.value('refreshToken'), path);
        t.equal(await who(host, await refresh(victim, host)), OWNER);
      }
    }),
);

t.test('any number of planted cookies does not disturb a refresh with the protected one', (t) =>
  eachService(t, async (t, { host }) => {
    const victim = createBrowser();
    await logIn(victim, host, OWNER);
    const planted = Array(40).fill('refreshToken=planted').join('; ');
    const cookie = `${planted}; ${HOST_NAME}=${victim.value(HOST_NAME)}`;
    t.equal(await who(host, await victim.send(host, 'POST', '/refresh', { headers: { cookie } })), OWNER);
  }),
);

t.test('a prefix change, there and back, logs nobody out', (t) =>
  eachService(t, async (t, { plain, host }) => {
    const browser = createBrowser();
    await logIn(browser, plain, OWNER);
    t.strictSame(browser.names(), ['refreshToken /refresh']);
    for (const [node, names] of [
      [host, [`${HOST_NAME} /`]],
      [host, [`${HOST_NAME} /`]],
      [plain, ['refreshToken /refresh']],
      [host, [`${HOST_NAME} /`]],
    ] as const) {
      t.equal(await who(node, await refresh(browser, node)), OWNER);
      t.strictSame(browser.names(), names, 'the cookie of the other name is gone');
    }
  }),
);

t.test('a token with the new prefix does not count under an older name, nor after a change back', (t) =>
  eachService(t, async (t, { plain, host }) => {
    const thief = createBrowser();
    await logIn(thief, host, THIEF);
    const victim = createBrowser();
    victim.plant('refreshToken', thief.value(HOST_NAME), '/refresh');
    t.equal(await who(plain, await refresh(victim, plain)), 'token_invalid');
    t.equal((await victim.send(plain, 'DELETE', '/refresh')).statusCode, 204);
    t.equal(await who(host, await refresh(thief, host)), THIEF, 'nor does it end that session');
  }),
);

t.test('a logout expires the cookie under every prefix, although the old one is not in the request', (t) =>
  eachService(t, async (t, { plain, host }) => {
    for (const how of ['/logout', '/refresh']) {
      const browser = createBrowser();
      await logIn(browser, plain, OWNER);
      const old = browser.value('refreshToken');
      const { accessToken } = (await logIn(browser, host, OWNER)).json();
      t.strictSame(browser.names(), [`${HOST_NAME} /`, 'refreshToken /refresh']);
      t.equal(browser.value('refreshToken'), old, 'a login deletes no cookie that was not sent');
      const headers = { authorization: `Bearer ${accessToken}` };
      const method = how === '/logout' ? 'POST' : 'DELETE';
      t.equal((await browser.send(host, method, how, { headers })).statusCode, 204);
      t.strictSame(browser.names(), []);
      t.equal(await who(host, await refresh(browser, host)), 'token_invalid');
    }
    const back = createBrowser();
    await logIn(back, host, OWNER);
    const { accessToken } = (await refresh(back, plain)).json();
    back.plant(HOST_NAME, 'left');
    await back.send(plain, 'POST', '/logout', { headers: { authorization: `Bearer ${accessToken}` } });
    t.strictSame(back.names(), [], 'and after a change back');
  }),
);

t.test('older cookies of two sessions are still a conflict, and a login resolves it', (t) =>
  eachService(t, async (t, { plain, host }) => {
    const [thief, victim] = [createBrowser(), createBrowser()];
    await logIn(thief, plain, THIEF);
    await logIn(victim, plain, OWNER);
    victim.plant('refreshToken', thief.value('refreshToken'));
    t.equal(await who(host, await refresh(victim, host)), 'cookie_conflict');
    t.strictSame(victim.names(), ['refreshToken /refresh'], 'the own one stays');
    t.equal(await who(host, await refresh(victim, host)), OWNER);
  }),
);

t.test('no other route accepts the cookie as a bearer token', (t) =>
  eachService(t, async (t, { host }) => {
    const browser = createBrowser();
    await logIn(browser, host, OWNER);
    const cookie = `${HOST_NAME}=${browser.value(HOST_NAME)}`;
    for (const [method, url] of [
      ['GET', '/profile'],
      ['GET', '/sessions'],
      ['DELETE', '/sessions'],
      ['GET', '/verify'],
      ['POST', '/logout'],
    ] as const) {
      const answer = await host.app.inject({ method, url, headers: { cookie } });
      t.equal(answer.json().code, 'token_invalid', `${method} ${url}`);
    }
    t.equal(await who(host, await refresh(browser, host)), OWNER);
  }),
);
