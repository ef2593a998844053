// The command that lists an account's history, as run by an operator.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountPseudonym } from '@tollgate/shared/challenges';
import { SESSION_APPLICATION } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { callCommand } from '@tollgate/test-support/command.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { runSession } from '../../src/cli/session.js';
import { MAX_FAILURES } from '../../src/domain/account-event.js';
import { openAccountEvents } from '../../src/stores/account-events.js';
import { failuresKey } from '../../src/stores/session-keys.js';
import {
  logIn,
  SECRETS,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

const ANN = 'ann@example.com';
const TIME = '20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
const KEYED = '[0-9a-f]{32}';

async function account(args: string[], env: Readonly<Record<string, string>>) {
  return callCommand(() => runSession(['account', ...args], env));
}

t.test('an attacked account shows failed and successful logins, and how its sessions ended', async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
    const env = { STORE_URL: url, CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET };
    const fail = async (email: string) => {
      const payload = { email, password: 'a wrong password' };
      return (await node.app.inject({ method: 'POST', url: '/login', payload })).json().code;
    };
    const first = await logIn(node, ANN);
    const sid = await sessionIdOf(node, first);
    await withBearer(node, 'POST', '/logout', first);
    const alive = await sessionIdOf(node, await logIn(node, ANN));
    for (let times = 0; times < 5; times++) t.equal(await fail('Ann@Example.com '), 'login_failed');
    for (let times = 0; times < 3; times++) t.equal(await fail(ANN), 'login_throttled');
    t.equal(await fail('nobody@example.com'), 'login_failed');

    const shown = await account(['ANN@example.com'], env);
    t.match(shown, { code: 0, error: '' });
    const lines = shown.out.trimEnd().split('\n');
    t.match(
      lines.shift(),
      new RegExp(`^Account ANN@example\\.com: \`account\` ${KEYED} in the audit stream\\.$`),
    );
    t.equal(
      lines.shift(),
      'Logins: 2 succeeded, 5 failed, 1 had to wait, 0 failed the challenge; unsuccessful ones came from 1 addresses.',
    );
    t.match(lines.pop(), new RegExp(`^Alive: session ${alive} of user 1, last used ${TIME}\\.$`));
    const words = lines.map((line) =>
      line.split('  ').slice(1).join(' ').replace(new RegExp(KEYED), 'ADDRESS'),
    );
    t.strictSame(
      words.toSorted(),
      [
        `ended: logout session ${sid} user 1 from ADDRESS`,
        `login session ${alive} user 1 from ADDRESS`,
        ...Array(5).fill('login_failed (wrong password) from ADDRESS'),
        'login_throttled from ADDRESS',
        `login session ${sid} user 1 from ADDRESS`,
      ].toSorted(),
    );
    for (const line of lines) t.match(line, new RegExp(`^${TIME}  `));
    t.strictSame(
      lines,
      lines.toSorted((one, other) => other.slice(0, 20).localeCompare(one.slice(0, 20))),
    );

    const { events, alive: living, ...facts } = JSON.parse((await account([ANN, '--json'], env)).out);
    t.match(facts, { account: new RegExp(`^${KEYED}$`), kept_seconds: 604_800 });
    t.equal(events.length, 9);
    t.match(living, [{ session: alive, user: 1 }]);

    const stranger = await account(['nobody@example.com'], env);
    t.match(stranger, { code: 0, error: '' });
    t.match(stranger.out, 'Logins: 0 succeeded, 1 failed, 0 had to wait');
    const silent = await account(['somebody@example.com'], env);
    t.match(silent, { code: 3, error: '' });
    t.match(silent.out, 'No data: there was no login attempt for this account within 604800 s');
    t.match((await account(['somebody@example.com', '--user', '1'], env)).out, `session ${sid}`);
    const changed = {
      ...env,
      CHALLENGE_SECRET: `a-newer-secret-of-the-challenges-0123,${SECRETS.CHALLENGE_SECRET}`,
    };
    t.match((await account([ANN], changed)).out, '5 failed', 'also when the key has been changed since');
  });
});

t.test('the secret created by npm start is found, and a missing one is reported', async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
    await logIn(node, ANN);
    const folder = tempDir(t);
    const env = { STORE_URL: url, DATA_DIR: folder };
    t.match(await account([ANN], env), {
      code: 1,
      out: '',
      error: /^session: CHALLENGE_SECRET is missing: [^\n]*\n$/,
    });
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify(SECRETS));
    t.match((await account([ANN], env)).out, 'Logins: 1 succeeded');
    t.match(await account([ANN], { ...env, CHALLENGE_SECRET: 'short' }), {
      code: 1,
      error: 'session: CHALLENGE_SECRET must have at least 32 characters in each element\n',
    });
  });
});

t.test('a flood of unknown accounts does not fill the store, and AUDIT_TTL=0 stores nothing', async (t) => {
  await eachKind(t, async (t, place) => {
    const events = openAccountEvents(place.store, 60_000);
    const account = '0123456789abcdef'.repeat(2);
    const fail = () => events.note({ event: 'login_failed', account, address: undefined });
    await events.note({ event: 'login', account, uid: 7, sid: 'a' });
    await place.age(1000);
    for (let n = 0; n < MAX_FAILURES + 20; n++) await fail();
    const read = await events.read(account);
    t.equal(read.length, MAX_FAILURES + 1);
    t.match(read.at(-1), { event: 'login', uid: 7 }, 'failures push out no login');
    t.strictSame(await events.read('f'.repeat(32)), []);
    await place.age(60_000);
    t.strictSame(await events.read(account), [], 'nothing outlives AUDIT_TTL');
    await openAccountEvents(place.store, 0).note({ event: 'login_failed', account });
    t.strictSame(await events.read(account), []);
  });
  const buckets = new Set<string>();
  for (let n = 0; n < 20_000; n++) {
    buckets.add(failuresKey((n * 2_654_435_761).toString(16).padStart(32, '0').slice(-32).padEnd(32, '0')));
    buckets.add(failuresKey(`${n.toString(16).padStart(8, '0')}${'0'.repeat(24)}`));
  }
  t.equal(buckets.size, 1024, 'however many accounts are tried');
});

t.test('an invalid command line prints the usage', async (t: Test) => {
  for (const [args, complaint] of [
    [[], ''],
    [[''], 'session: the e-mail address must not be empty\n'],
    [[ANN, ANN], ''],
    [[ANN, '--user', 'a:b'], 'session: a user id is a whole number from 1'],
  ] as const) {
    const { code, out, error } = await account([...args], {});
    t.strictSame([code, out], [2, '']);
    t.ok(error.startsWith(complaint));
    t.match(error, /session account EMAIL \[--user ID\] \[--json\]\n/);
  }
});

t.test('events recorded under another form of the domain are shown', async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const env = { STORE_URL: url, CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET };
    const key = openKeyRing(SECRETS.CHALLENGE_SECRET).current;
    for (const spelling of ['ann@bücher.example', 'ann@xn--bcher-kva.example'])
      await openAccountEvents(store, 60_000).note({
        event: 'login_failed',
        account: accountPseudonym(key, SESSION_APPLICATION, spelling),
        address: undefined,
      });
    for (const form of ['Ann@bücher.example', 'ann@XN--bcher-kva.example'])
      t.match((await account([form], env)).out, 'Logins: 0 succeeded, 2 failed');
  });
});

t.test('an address with control characters is rejected', async (t) => {
  t.match(await account(['ann@example.com\0x'], {}), { code: 2, error: /not an e-mail address/ });
});

t.test('support saw no attempts after six logins rejected at the challenge', async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const directory = await userDirectory(t, ANN);
    const node = await startNode(t, { store, directory, env: { CAPTCHA_ESCALATION_AFTER: '0' } });
    const env = { STORE_URL: url, CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET };
    for (let times = 0; times < 6; times++) {
      const { statusCode } = await node.app.inject({
        method: 'POST',
        url: '/login',
        payload: { email: ANN, password: 'password' },
      });
      t.equal(statusCode, 422);
    }
    const { out } = await account([ANN], env);
    t.match(out, '1 failed the challenge');
    t.match(out, / {2}login_refused {2}\(an image was required and not sent\) {2}from /);
  });
});

t.test('support sees that an account is disabled or unknown', async (t) => {
  const { store, url } = embeddedStore(t);
  const directory = await userDirectory(t, ANN, 'off@example.com');
  const node = await startNode(t, { store, directory });
  t.ok(await directory.setDisabled('off@example.com', true));
  const env = { STORE_URL: url, CHALLENGE_SECRET: SECRETS.CHALLENGE_SECRET };
  for (const [email, words] of [
    ['off@example.com', 'the account is disabled'],
    ['nobody@example.com', 'unknown account'],
  ] as const) {
    const payload = { email, password: 'password' };
    const answer = await node.app.inject({ method: 'POST', url: '/login', payload });
    t.match(answer.json(), { code: 'login_failed' }, 'the client is not told');
    t.match((await account([email], env)).out, `login_failed  (${words})`);
    t.match(JSON.parse((await account([email, '--json'], env)).out).events[0], { reason: String });
  }
});
