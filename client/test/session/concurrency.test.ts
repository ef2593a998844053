// Concurrent log-ins, log-outs and refreshes: whose cookie stays, and which request waits for which.
import t, { type Test } from 'tap';
import { type SteerOptions, steerSession } from '../support/session-clock.js';
import { grant, refuse, type Script, startScript } from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';
import { openTabs } from '../support/session-tabs.js';

const bob = { ...loginFields, email: 'b@example.com' };
const environments: Readonly<Record<string, () => SteerOptions>> = {
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

/** A session, and how many of its refreshes were aborted. */
function steer(t: Test, script: Script, options: SteerOptions) {
  const cut: string[] = [];
  const counting: typeof fetch = async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      cut.push(`${init?.method} ${new URL(String(input)).pathname}`);
      throw error;
    }
  };
  return { cut, ...steerSession(t, script.address, { ...options, fetch: counting, isOpenEnded: true }) };
}

const whats = (script: Script) => script.asked.map(({ what }) => what);

for (const [where, options] of Object.entries(environments)) {
  t.test(`a log-in aborts the refresh under way, ${where}`, async (t) => {
    const script = await startScript(t);
    const { session, cut } = steer(t, script, options());
    const { after, release } = later();
    const granted = grant();
    script.plan(refreshing, { ...grant(), after });
    script.plan('POST /login', granted);
    script.plan('GET /thing', { status: 200 });
    const resumed = session.resume();
    await script.isAsked(refreshing, 1);
    t.equal((await session.login(bob)).status, 200);
    t.same(cut, [refreshing], 'so that no cookie of it comes any more');
    t.equal(await resumed, true);
    const { state } = session;
    release();
    await session.fetch('thing');
    t.equal(session.state, state);
    t.same(whats(script), [refreshing, 'POST /login', 'GET /thing'], 'nor is it repeated');
    t.equal(script.asked.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
  });

  t.test(`after a log-in that was refused, the refresh is made, ${where}`, async (t) => {
    const script = await startScript(t);
    const { session } = steer(t, script, options());
    const { after, release } = later();
    t.teardown(release);
    script.plan(refreshing, { ...grant(), after }, grant());
    script.plan('POST /login', refuse(422, 'login_failed'));
    const resumed = session.resume();
    await script.isAsked(refreshing, 1);
    t.equal((await session.login(bob)).status, 422);
    t.equal(await resumed, true);
    t.same(whats(script), [refreshing, 'POST /login', refreshing]);
  });

  t.test(`a log-out aborts the refresh under way, ${where}`, async (t) => {
    const { script, ...signedIn } = await signIn(t, 900, { ...options(), isOpenEnded: true });
    const { after, release } = later();
    script.plan(refreshing, { ...grant(), after });
    script.plan('POST /logout', { status: 204 });
    await signedIn.pass(840);
    await script.isAsked(refreshing, 1);
    await signedIn.session.logout();
    release();
    await signedIn.isQuiet();
    t.match(signedIn.session.state, { status: 'signed-out', reason: 'logged_out' });
    t.same(whats(script), ['POST /login', refreshing, 'POST /logout']);
  });

  t.test(`what comes during a log-in waits for it, ${where}`, async (t) => {
    const script = await startScript(t);
    const { session } = steer(t, script, options());
    const { after, release } = later();
    script.plan('POST /login', { ...grant(), after });
    script.plan('POST /logout', { status: 204 });
    const login = session.login(bob);
    const resumed = session.resume();
    const logout = session.logout();
    await script.isAsked('POST /login', 1);
    t.same(whats(script), ['POST /login']);
    release();
    await Promise.all([login, logout]);
    t.equal(await resumed, true);
    t.same(whats(script), ['POST /login', 'POST /logout']);
    t.equal(session.state.status, 'signed-out');
  });

  t.test(
    `a log-in that is not answered within 20 s has failed and blocks no other request, ${where}`,
    async (t) => {
      const script = await startScript(t);
      const { session, pass, cut } = steer(t, script, options());
      const { after, release } = later();
      t.teardown(release);
      script.plan('POST /login', { ...grant(), after });
      script.plan(refreshing, grant());
      const login = session.login(bob);
      const refused = t.rejects(login, { name: 'SessionError', reason: 'network', status: 0 });
      await script.isAsked('POST /login', 1);
      const resumed = session.resume();
      await pass(19.9);
      t.same(cut, []);
      await pass(0.1);
      await refused;
      t.equal(await resumed, true);
      t.same(whats(script), ['POST /login', refreshing]);
    },
  );
}

t.test('a log-in in another tab aborts the refresh of this one, and another one is made', async (t) => {
  const script = await startScript(t);
  const { openChannel } = openTabs();
  const [here, there] = [steer(t, script, { openChannel }), steer(t, script, { openChannel })];
  const { after, release } = later();
  t.teardown(release);
  script.plan(refreshing, { ...grant(), after }, grant());
  script.plan('POST /login', grant());
  const resumed = here.session.resume();
  await script.isAsked(refreshing, 1);
  await there.session.login(bob);
  await script.isAsked(refreshing, 2);
  t.same(here.cut, [refreshing]);
  t.equal(await resumed, false, 'that question was about somebody else');
  t.same(whats(script), [refreshing, 'POST /login', refreshing]);
});

t.test('a log-out ends the wait for the lock of a refresh, and takes its place', async (t) => {
  const script = await startScript(t);
  const { locks } = openTabs();
  const { after, release } = later();
  void locks.request('', {}, () => after);
  const { session } = steer(t, script, { locks });
  script.plan('DELETE /refresh', { status: 204 });
  const resumed = session.resume();
  const logout = session.logout();
  release();
  await logout;
  t.equal(await resumed, false);
  t.same(whats(script), ['DELETE /refresh']);
});

t.test('a log-out that waited while somebody else signed in ends the session of the cookie', async (t) => {
  const script = await startScript(t);
  const { locks, openChannel } = openTabs();
  const { after, release } = later();
  const here = steer(t, script, { locks, openChannel });
  const there = steer(t, script, { openChannel });
  script.plan('POST /login', grant());
  script.plan('DELETE /refresh', { status: 204 });
  await here.session.login(loginFields);
  void locks.request('', {}, () => after);
  const logout = here.session.logout();
  const changed = new Promise<void>((resolve) => here.session.subscribe(resolve));
  await there.session.login(bob);
  await changed;
  t.equal(here.session.state.status, 'unknown');
  release();
  await logout;
  t.same(script.asked.slice(2), [{ what: 'DELETE /refresh', authorization: undefined, body: '' }]);
  t.equal(here.session.state.status, 'signed-out');
});
