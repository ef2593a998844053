// Concurrent logins, logouts and refreshes: remaining cookie, and order of requests.
import t, { type Test } from 'tap';
import { openTestSession, type TestSessionOptions } from '../support/session-clock.js';
import {
  errorResponse,
  grant,
  type ScriptedService,
  startScriptedService,
} from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';
import { openTabs } from '../support/session-tabs.js';

const bob = { ...loginFields, email: 'b@example.com' };
const environments: Readonly<Record<string, () => TestSessionOptions>> = {
  'with locks': openTabs,
  'without locks': () => ({}),
};

function later() {
  let release = () => {};
  const after = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { after, release };
}

/** Opens a session that records its aborted refreshes. */
function steer(t: Test, script: ScriptedService, options: TestSessionOptions) {
  const cut: string[] = [];
  const counting: typeof fetch = async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      cut.push(`${init?.method} ${new URL(String(input)).pathname}`);
      throw error;
    }
  };
  return {
    cut,
    ...openTestSession(t, script.address, { ...options, fetch: counting, leavesRequestsOpen: true }),
  };
}

const routes = (script: ScriptedService) => script.requests.map(({ route }) => route);

for (const [where, options] of Object.entries(environments)) {
  t.test(`a login aborts the current refresh, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session, cut } = steer(t, script, options());
    const { after, release } = later();
    const granted = grant();
    script.setResponses(refreshing, { ...grant(), after });
    script.setResponses('POST /login', granted);
    script.setResponses('GET /thing', { status: 200 });
    const resumed = session.resume();
    await script.received(refreshing, 1);
    t.equal((await session.login(bob)).status, 200);
    t.same(cut, [refreshing], 'so that it sets no cookie');
    t.equal(await resumed, true);
    const { state } = session;
    release();
    await session.fetch('thing');
    t.equal(session.state, state);
    t.same(routes(script), [refreshing, 'POST /login', 'GET /thing'], 'and it is not repeated');
    t.equal(script.requests.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
  });

  t.test(`after a rejected login, the refresh is repeated, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session } = steer(t, script, options());
    const { after, release } = later();
    t.teardown(release);
    script.setResponses(refreshing, { ...grant(), after }, grant());
    script.setResponses('POST /login', errorResponse(422, 'login_failed'));
    const resumed = session.resume();
    await script.received(refreshing, 1);
    t.equal((await session.login(bob)).status, 422);
    t.equal(await resumed, true);
    t.same(routes(script), [refreshing, 'POST /login', refreshing]);
  });

  t.test(`a logout aborts the current refresh, ${where}`, async (t) => {
    const { script, ...signedIn } = await signIn(t, 900, { ...options(), leavesRequestsOpen: true });
    const { after, release } = later();
    script.setResponses(refreshing, { ...grant(), after });
    script.setResponses('POST /logout', { status: 204 });
    await signedIn.advance(840);
    await script.received(refreshing, 1);
    await signedIn.session.logout();
    release();
    await signedIn.settled();
    t.match(signedIn.session.state, { status: 'signed-out', reason: 'logged_out' });
    t.same(routes(script), ['POST /login', refreshing, 'POST /logout']);
  });

  t.test(`requests during a login wait for it, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session } = steer(t, script, options());
    const { after, release } = later();
    script.setResponses('POST /login', { ...grant(), after });
    script.setResponses('POST /logout', { status: 204 });
    const login = session.login(bob);
    const resumed = session.resume();
    const logout = session.logout();
    await script.received('POST /login', 1);
    t.same(routes(script), ['POST /login']);
    release();
    await Promise.all([login, logout]);
    t.equal(await resumed, true);
    t.same(routes(script), ['POST /login', 'POST /logout']);
    t.equal(session.state.status, 'signed-out');
  });

  t.test(`a login without a response within 20 s fails and blocks no other request, ${where}`, async (t) => {
    const script = await startScriptedService(t);
    const { session, advance, cut } = steer(t, script, options());
    const { after, release } = later();
    t.teardown(release);
    script.setResponses('POST /login', { ...grant(), after });
    script.setResponses(refreshing, grant());
    const login = session.login(bob);
    const refused = t.rejects(login, { name: 'SessionError', reason: 'network', status: 0 });
    await script.received('POST /login', 1);
    const resumed = session.resume();
    await advance(19.9);
    t.same(cut, []);
    await advance(0.1);
    await refused;
    t.equal(await resumed, true);
    t.same(routes(script), ['POST /login', refreshing]);
  });
}

t.test('a login in another tab aborts the refresh of this one, and a new one starts', async (t) => {
  const script = await startScriptedService(t);
  const { openChannel } = openTabs();
  const [here, there] = [steer(t, script, { openChannel }), steer(t, script, { openChannel })];
  const { after, release } = later();
  t.teardown(release);
  script.setResponses(refreshing, { ...grant(), after }, grant());
  script.setResponses('POST /login', grant());
  const resumed = here.session.resume();
  await script.received(refreshing, 1);
  await there.session.login(bob);
  await script.received(refreshing, 2);
  t.same(here.cut, [refreshing]);
  t.equal(await resumed, false, 'the resume was for another user');
  t.same(routes(script), [refreshing, 'POST /login', refreshing]);
});

t.test('a logout ends a refresh’s wait for the lock, and replaces it', async (t) => {
  const script = await startScriptedService(t);
  const { locks } = openTabs();
  const { after, release } = later();
  void locks.request('', {}, () => after);
  const { session } = steer(t, script, { locks });
  script.setResponses('DELETE /refresh', { status: 204 });
  const resumed = session.resume();
  const logout = session.logout();
  release();
  await logout;
  t.equal(await resumed, false);
  t.same(routes(script), ['DELETE /refresh']);
});

t.test('a logout that waited for another user’s login ends the cookie’s session', async (t) => {
  const script = await startScriptedService(t);
  const { locks, openChannel } = openTabs();
  const { after, release } = later();
  const here = steer(t, script, { locks, openChannel });
  const there = steer(t, script, { openChannel });
  script.setResponses('POST /login', grant());
  script.setResponses('DELETE /refresh', { status: 204 });
  await here.session.login(loginFields);
  void locks.request('', {}, () => after);
  const logout = here.session.logout();
  const changed = new Promise<void>((resolve) => here.session.subscribe(resolve));
  await there.session.login(bob);
  await changed;
  t.equal(here.session.state.status, 'unknown');
  release();
  await logout;
  t.same(script.requests.slice(2), [{ route: 'DELETE /refresh', authorization: undefined, body: '' }]);
  t.equal(here.session.state.status, 'signed-out');
});
