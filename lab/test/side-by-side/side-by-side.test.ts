// During a rollout the last released version and this one serve side by side: each reads the other's data.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { PASSWORD } from '@tollgate/test-support/static-directory.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { CHEAP } from '@tollgate/tests/e2e/site.js';
import { writeDirectoryModule } from '@tollgate/tests/gateway/two-of-each.js';
import { openSecrets } from '@tollgate/tools/launcher/secrets.js';
import t, { type Test } from 'tap';
import { lastReleaseRef, openRelease } from './last-release.js';
import {
  HOST_API_KEY,
  held,
  issueImage,
  issueWork,
  SESSION_API_KEY,
  startVersion,
  type Version,
} from './two-versions.js';

const COMMAND = '../../../../services/session-service/dist/src/cli/';
const SOLVER = fileURLToPath(new URL('../../../../tools/solve.js', import.meta.url));
const command = (name: string) => fileURLToPath(new URL(`${COMMAND}${name}.js`, import.meta.url));

const ref = lastReleaseRef();
const skip = ref === undefined ? 'the last released version is not in this clone' : false;
const program = ref === undefined ? undefined : openRelease(t, ref);
t.comment(`the last version is ${ref}`);

t.test('side by side on one Redis', { skip }, async (t) => {
  const folder = tempDir(t);
  const redis = await startRedis(t);
  const environment = {
    ...CHEAP,
    ...openSecrets(folder, {}),
    HOST_API_KEY,
    SESSION_API_KEY,
    DATA_DIR: folder,
    STORE_URL: redis.url,
    USERS_URL: writeDirectoryModule(folder),
    CAPTCHA_POW_STEP: '2',
  };
  const [before, after] = await Promise.all([
    startVersion(t, 'last', environment, program),
    startVersion(t, 'this', environment),
  ]);

  let users = 0;
  let addresses = 0;
  const newUser = () => {
    users += 1;
    return { email: `user${users}@example.com`, password: PASSWORD };
  };
  const newAddress = () => {
    addresses += 1;
    return `198.18.0.${addresses}`;
  };
  const commands = { STORE_URL: redis.url, DATA_DIR: folder };

  for (const [writer, reader] of [
    [before, after],
    [after, before],
  ] as const) {
    await t.test(`${writer.name} version writes, ${reader.name} version reads`, async (t) => {
      await sessions(t, writer, reader);
      await challenges(t, writer, reader);
      await failures(t, writer, reader);
    });
  }

  await t.test('the commands of this version read data of both', async (t) => {
    for (const version of [before, after]) {
      const ip = newAddress();
      const session = await logIn(version, ip, newUser());
      const { sid } = await introspect(version, session.authorization);
      const headers = { authorization: session.authorization };
      t.equal((await version.session.post('/logout', { headers, ip })).status, 204);
      const why = await spawnCommand(command('session'), ['why', sid, '--json'], commands);
      t.match(JSON.parse(why.out), { session: sid, state: 'ended', reason: 'logout' }, version.name);
    }
    const keys = await spawnCommand(command('keys'), ['status'], commands);
    t.match(keys.out, 'ACCESS_SECRET, on 2 nodes:');
    t.match(keys.out, 'CHALLENGE_SECRET, on 4 nodes:');
  });

  async function logIn(version: Version, ip: string, user: object, issuer = version) {
    const { fields } = await issueWork(issuer, ip);
    return held(await version.session.post('/login', { ip, body: { ...user, ...fields } }));
  }

  async function introspect(version: Version, authorization: string) {
    const { json } = await version.sessionAdmin.post('/introspect', {
      headers: {
        authorization: `Bearer ${SESSION_API_KEY}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `token=${encodeURIComponent(authorization.replace('Bearer ', ''))}`,
    });
    return json;
  }

  async function sessions(t: Test, writer: Version, reader: Version): Promise<void> {
    const ip = newAddress();
    const user = newUser();
    const verify = (version: Version, authorization: string) =>
      version.session.get('/verify', { headers: { authorization }, ip });

    await t.test('sessions, cookies and access tokens', async (t) => {
      const first = await logIn(writer, ip, user);
      t.equal((await verify(reader, first.authorization)).status, 204);
      t.match(await introspect(reader, first.authorization), { active: true, email: user.email });
      const rotated = held(await reader.session.post('/refresh', { headers: { cookie: first.cookie }, ip }));
      t.not(rotated.cookie, first.cookie, 'the session was rotated');
      t.equal((await verify(writer, rotated.authorization)).status, 204);
      const back = held(await writer.session.post('/refresh', { headers: { cookie: rotated.cookie }, ip }));
      const late = await reader.session.post('/refresh', { headers: { cookie: first.cookie }, ip });
      t.equal(late.status, 200, 'a late tab is served');
      const list = await reader.session.get('/sessions', {
        headers: { authorization: back.authorization },
        ip,
      });
      t.match(list.json.sessions, [{ current: true }]);
      t.equal(list.json.sessions.length, 1);
    });

    await t.test('the log of ended sessions', async (t) => {
      const session = await logIn(writer, ip, user);
      const { authorization, cookie } = session;
      t.equal((await verify(reader, authorization)).status, 204);
      t.equal((await writer.session.post('/logout', { headers: { authorization }, ip })).status, 204);
      let refused = await verify(reader, authorization);
      while (refused.status === 204) {
        await sleep(10);
        refused = await verify(reader, authorization);
      }
      t.match(refused, { status: 401, json: { code: 'session_revoked' } });
      t.equal((await reader.session.post('/refresh', { headers: { cookie }, ip })).status, 401);
    });
  }

  async function challenges(t: Test, writer: Version, reader: Version): Promise<void> {
    const ip = newAddress();

    await t.test('work and images', async (t) => {
      const { fields } = await issueWork(writer, ip);
      const image = await issueImage(writer, ip);
      const [here, there] = await Promise.all(
        [writer, reader].map((version) => version.challenge.get(image.path, { ip })),
      );
      t.equal(here?.status, 200);
      t.ok(here?.bytes.equals(there?.bytes ?? Buffer.alloc(0)), 'both draw the same image');
      const body = { ...newUser(), ...fields, ...image.fields };
      t.equal((await reader.session.post('/login', { ip, body })).status, 200);
      const again = await writer.session.post('/login', { ip, body });
      t.match(again, { status: 422, json: { code: 'pow_invalid' } }, 'and it is spent for both');
    });

    await t.test('work in parts, instead of an image', async (t) => {
      // The fast solver: the smallest effort takes four million hashes.
      const refusal = JSON.stringify({ captcha_required: true });
      const { out } = await spawnCommand(SOLVER, [writer.challenge.url, refusal]);
      const body = { ...newUser(), ...JSON.parse(out) };
      t.match(body, { captcha_token: /./, captcha: /\./ });
      t.equal((await reader.session.post('/login', { ip, body })).status, 200);
    });

    await t.test('for a host API application', async (t) => {
      const { fields } = await issueWork(writer, ip);
      const headers = { authorization: `Bearer ${HOST_API_KEY}` };
      const verdict = await reader.challengeAdmin.post('/host/verify', { headers, body: { ...fields, ip } });
      t.match(verdict, { status: 200, json: { success: true } });
    });
  }

  async function failures(t: Test, writer: Version, reader: Version): Promise<void> {
    const ip = newAddress();
    const user = newUser();
    const wrong = { ...user, password: 'a wrong password' };

    await t.test('failures and tickets', async (t) => {
      let scope: string | undefined;
      for (let failure = 0; failure < 2; failure++) {
        const { fields } = await issueWork(writer, ip, scope);
        const refused = await writer.session.post('/login', { ip, body: { ...wrong, ...fields } });
        t.match(refused, { status: 422, json: { code: 'login_failed' } });
        scope = refused.json.pow_scope;
      }
      const plain = await issueWork(reader, newAddress());
      const priced = await issueWork(reader, ip, scope);
      t.ok(priced.bits > plain.bits, 'the ticket raises the price');
      const cheap = await reader.session.post('/login', {
        ip: newAddress(),
        body: { ...user, ...plain.fields },
      });
      t.match(cheap, { status: 422, json: { captcha_required: true } }, 'an image is required');
      const image = await issueImage(reader, ip);
      const { fields } = await issueWork(reader, ip, scope);
      const body = { ...user, ...fields, ...image.fields };
      t.equal((await reader.session.post('/login', { ip, body })).status, 200);
      await t.resolves(logIn(writer, newAddress(), user), 'the success has cleared them for both');
    });

    await t.test('the wait of an account at an address', async (t) => {
      const other = { ...newUser(), password: 'a wrong password' };
      let scope: string | undefined;
      for (let failure = 0; failure < 5; failure++) {
        const image = await issueImage(writer, ip);
        const { fields } = await issueWork(writer, ip, scope);
        const body = { ...other, ...fields, ...image.fields };
        const refused = await writer.session.post('/login', { ip, body });
        t.match(refused, { status: 422, json: { code: 'login_failed' } });
        scope = refused.json.pow_scope;
      }
      const { fields } = await issueWork(reader, ip, scope);
      const body = { ...other, ...fields, ...(await issueImage(reader, ip)).fields };
      const waits = await reader.session.post('/login', { ip, body });
      t.match(waits, { status: 429, json: { code: 'login_throttled' } });
    });
  }
});

t.test('an upgrade on one machine: unreadable files prevent the start', { skip }, async (t) => {
  const folder = tempDir(t);
  const environment = { ...CHEAP, ...openSecrets(folder, {}), DATA_DIR: folder };
  const user = { email: 'person@example.com', password: PASSWORD };
  const ip = '198.18.1.1';
  const users = program?.('session-service').replace('server.js', 'cli/users.js') ?? '';
  const added = await spawnCommand(users, ['add', user.email], { DATA_DIR: folder }, `${PASSWORD}\n`);
  t.match(added, { code: 0 });

  const before = await startVersion(t, 'last', environment, program);
  const { fields } = await issueWork(before, ip);
  t.ok(held(await before.session.post('/login', { ip, body: { ...user, ...fields } })));
  await before.stop();

  await t.rejects(startVersion(t, 'this', environment), {
    message: /DATA_DIR contains (users|tollgate)\.mdb of an earlier version/,
  });
  t.notOk(existsSync(join(folder, 'users.db')), 'no new files were created');
});
