// The session command as run by an operator.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accountPseudonym } from '@tollgate/shared/challenges';
import { SESSION_APPLICATION } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { openRevocationLog } from '@tollgate/shared/sessions';
import { KEY_RECORD_KEY, openStore } from '@tollgate/shared/store';
import { callCommand, spawnCommand } from '@tollgate/test-support/command.js';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { explainEnd } from '../../src/cli/end-explanation.js';
import { runSession } from '../../src/cli/session.js';
import { reportSession } from '../../src/cli/session-report.js';
import { openAccountEvents } from '../../src/stores/account-events.js';
import { KNOWN_USERS_KEY } from '../../src/stores/session-keys.js';
import {
  logIn,
  refresh,
  SECRETS,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/session.js', import.meta.url));
const NOBODY = 'x'.repeat(22);
const TIME = '20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
const ANN = 'ann@example.com';
const KEYED = '[0-9a-f]{32}';

const session = (args: string[], env: Readonly<Record<string, string>>) =>
  callCommand(() => runSession(args, env));

t.test('--help prints the usage', async (t) => {
  for (const { code, out, error } of [
    await spawnCommand(COMMAND, ['--help']),
    await session(['-h'], {}),
    await session(['why', '--help'], {}),
  ]) {
    t.strictSame({ code, error }, { code: 0, error: '' });
    t.match(out, /^usage: session why ID/);
  }
});

t.test('why prints when and why a session ended, with an explanation and the next step', async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const directory = await userDirectory(t, 'ann@example.com');
    const node = await startNode(t, { store, directory, env: { REFRESH_WINDOW: '0' } });
    const why = (...args: string[]) => session(['why', ...args], { STORE_URL: url });
    const stolen = await logIn(node, 'ann@example.com');
    const sid = await sessionIdOf(node, stolen);

    const alive = await why(sid);
    t.match(alive, { code: 0, error: '' });
    t.match(
      alive.out,
      new RegExp(
        `^Session ${sid} of user 1 is alive, at generation 1\\.
Started: ${TIME}, last used: ${TIME}\\.
Ends: ${TIME} unless it is refreshed, ${TIME} in any case\\.
If its user is logged out nevertheless, the browser has lost the cookie or sends that of another session\\.
$`,
      ),
    );
    const { created_at, last_used_at, expires_at, absolute_expires_at, ...facts } = JSON.parse(
      (await why(sid, '--json')).out,
    );
    t.strictSame(facts, { session: sid, state: 'alive', user: 1, generation: 1 });
    for (const time of [created_at, last_used_at, expires_at, absolute_expires_at]) {
      t.match(time, new RegExp(`^${TIME}$`));
    }

    await refresh(node, stolen);
    await refresh(node, stolen);
    const ended = await why(sid);
    t.match(ended, { code: 0, error: '' });
    t.match(
      ended.out,
      new RegExp(
        `^Session ${sid} of user 1 ended at ${TIME}: reuse\\.
A replaced refresh token was used again: generation 1 was presented, 2 was current\\.
Meaning: REFRESH_WINDOW is 0, so a repeated refresh, or one whose response is lost, ends the session\\. .*
To do: .*end all sessions \\(DELETE /users/1/sessions on the admin port\\)\\.
Requested by: [0-9a-f]{32}, the \`address\` of that client in the log\\.
$`,
      ),
    );
    const { ended_at, address, ...reuse } = JSON.parse((await why('--json', sid, '--user', '1')).out);
    t.strictSame(reuse, {
      session: sid,
      state: 'ended',
      user: 1,
      reason: 'reuse',
      presented: 1,
      current: 2,
      unrecovered: 'strict',
    });
    t.match(ended_at, new RegExp(`^${TIME}$`));
    t.match(address, /^[0-9a-f]{32}$/);

    const held = await logIn(node, 'ann@example.com');
    const other = await sessionIdOf(node, held);
    await withBearer(node, 'POST', '/logout', held);
    t.match((await why(other)).out, /: logout\.\nIts owner logged out\.\n/);

    const half = await sessionIdOf(node, await logIn(node, 'ann@example.com'));
    await openRevocationLog(store).append({ sids: [half], keepMs: 960_000 });
    t.match(
      (await why(half)).out,
      new RegExp(
        `^Session ${half} of user 1 is being ended: its tokens are rejected, the record still exists\\.
Meaning: .*503\\.
To do: .*\\(DELETE /users/1/sessions on the admin port\\)\\..*
$`,
      ),
    );
    t.strictSame(await why(half, '--json'), {
      code: 0,
      out: `{"session":"${half}","state":"ending","user":1}\n`,
      error: '',
    });

    const elsewhere = await why(other, '--user', '2');
    t.match(elsewhere, { code: 3, error: '' });
    t.match(elsewhere.out, `Session ${other} is unknown. Possible reasons:\n`);
    t.match(elsewhere.out, '- it ended more than 604800 s ago (AUDIT_TTL)');
    t.strictSame(await why(NOBODY, '--json'), {
      code: 3,
      out: `{"session":"${NOBODY}","state":"unknown","kept_seconds":604800}\n`,
      error: '',
    });
  });
});

t.test('the embedded store is copied while in use; a Redis is not', async (t) => {
  const { store, url } = embeddedStore(t);
  await store.exchange('session:{7}', 'value', 60_000);
  const others = ['captcha:passes:{passes}', 'captcha:pow:{aa}:token', 'machine:boot-id', KEY_RECORD_KEY];
  for (const key of others) await store.exchange(key, 'value', 60_000);
  const copy = join(tempDir(t), 'copy');
  t.strictSame(await session(['backup', copy], { STORE_URL: url }), {
    code: 0,
    out: `copied the sessions to ${copy}\n`,
    error: '',
  });
  const copied = openStore(`file:${copy}`, '/');
  t.teardown(() => copied.close());
  t.equal(await copied.read('session:{7}'), 'value');
  for (const key of others) {
    t.equal(await store.read(key), 'value');
    t.equal(await copied.read(key), undefined, `a restored copy does not bring back ${key}`);
  }
  t.notMatch(readFileSync(copy, 'latin1'), /captcha:/, 'not even as a deleted row');
  t.match(await session(['backup', copy], { STORE_URL: url }), { code: 1, error: /exists already\n$/ });
  const { url: STORE_URL } = await redisStore(t);
  t.match(await session(['backup', `${copy} 2`], { STORE_URL }), {
    code: 1,
    error: /^session: the store is a Redis/,
  });
});

const disk = mountSmallDisk(t, 2);
const skip = disk === undefined && 'SKIPPED: this user may not mount a file system';

t.test('a full disk left a backup with more than the sessions', { skip }, async (t) => {
  if (disk === undefined) return;
  const { store, url: STORE_URL } = embeddedStore(t);
  await store.exchange('session:{7}', 'x'.repeat(40_000), 60_000);
  await store.exchange('captcha:passes:{passes}', 'y'.repeat(40_000), 60_000);
  const copy = join(disk.folder, 'copy');
  disk.fill();
  const codes = new Set<number | null>();
  for (let freeKb = 0; !codes.has(0) && freeKb < 1000; freeKb += 40) {
    const { code, error } = await spawnCommand(COMMAND, ['backup', copy], { STORE_URL });
    codes.add(code);
    if (code === 0) t.notMatch(readFileSync(copy, 'latin1'), /captcha:/);
    else {
      t.ok(error.startsWith(`session: ${copy}: `) && error.endsWith('\n'), error);
      t.strictSame(readdirSync(disk.folder), ['filler'], `nothing is left with ${freeKb} kB`);
    }
    disk.free(40_000);
  }
  t.strictSame([...codes], [1, 0]);
});

t.test('a rejected directory is accepted', async (t) => {
  await eachKind(t, async (t, { store, url: STORE_URL }) => {
    await store.exchange(KNOWN_USERS_KEY, '-\n1 00000000 0', 60_000);
    t.match(await session(['accept-directory'], { STORE_URL }), {
      code: 0,
      out: /^the directory is accepted/,
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    t.notOk(await store.read(KNOWN_USERS_KEY));
  });
});

t.test('an invalid command line prints the usage', async (t) => {
  for (const [args, complaint] of [
    [[], ''],
    [['why'], ''],
    [['who', NOBODY], ''],
    [['why', NOBODY, NOBODY], ''],
    [['why', 'short'], 'session: a session id has 22 letters and digits\n'],
    [['why', NOBODY, '--user', 'a:b'], 'session: a user id is a whole number from 1'],
    [['why', NOBODY, '--user', '0'], 'session: a user id is a whole number from 1'],
    [['backup'], ''],
    [['backup', 'file', '--json'], ''],
    [['accept-directory', 'file'], ''],
    [['why', NOBODY, '--all'], "session: Unknown option '--all'"],
  ] as const) {
    const { code, out, error } = await session([...args], {});
    t.equal(code, 2);
    t.equal(out, '');
    t.ok(error.startsWith(complaint));
    t.match(error, /usage: session why ID \[--user ID\] \[--json\]\n/);
  }
});

t.test('an unavailable store or an invalid variable is reported in one line', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  t.strictSame(await session(['why', NOBODY], { STORE_URL: redis.url }), {
    code: 1,
    out: '',
    error: 'session: the store of STORE_URL is unreachable\n',
  });
  const folder = tempDir(t);
  t.strictSame(await session(['why', NOBODY], { DATA_DIR: folder }), {
    code: 1,
    out: '',
    error: `session: there is no file:${folder}/tollgate.db (STORE_URL): start the service first, or set STORE_URL or DATA_DIR\n`,
  });
  t.strictSame(readdirSync(folder), [], 'and none is made');
  const wrong = await session(['why', NOBODY], { AUDIT_TTL: '-1' });
  t.match(wrong, { code: 1, out: '' });
  t.match(wrong.error, /^session: AUDIT_TTL must be .*\n$/);
});

t.test('every reason has a description, and an expired session needs no note', async (t) => {
  const words = (
    [
      ...['logout', 'revoked', 'others_revoked', 'login', 'admin', 'password', 'user_gone', 'evicted'],
      ...['interrupted', 'reuse', 'expired', 'max_age'],
    ] as const
  ).map((reason) => {
    const { what, means, todo } = explainEnd({ sid: NOBODY, atMs: 0, reason, presented: 3, current: 5 }, 7);
    for (const sentence of [what, means, todo]) t.match(sentence, /^[A-Z].*\.$/);
    return what;
  });
  t.equal(new Set(words).size, words.length);
  const reuses = ([undefined, 'used', 'strict', 'spent'] as const).map((unrecovered) => {
    const reuse = { sid: NOBODY, atMs: 0, reason: 'reuse', presented: 4, current: 5 } as const;
    const { means, todo } = explainEnd({ ...reuse, ...(unrecovered && { unrecovered }) }, 7);
    for (const sentence of [means, todo]) t.match(sentence, /^[A-Z].*\.$/);
    return means;
  });
  t.equal(new Set(reuses).size, reuses.length);

  const record = {
    createdAtMs: 0,
    lastUsedAtMs: 1000,
    expiresAtMs: 5000,
    absoluteExpiresAtMs: 9000,
    rotatedAtMs: 0,
    generation: 3,
    used: 2,
    recoveries: [],
    userAgent: '',
    attributes: {},
  };
  const report = (nowMs: number, about = {}) =>
    reportSession(NOBODY, { nowMs, known: { uid: 7, record: { ...record, ...about } }, isRevoked: false }, 60)
      .facts;
  t.match(report(4999), { state: 'alive', generation: 3, expires_at: '1970-01-01T00:00:05Z' });
  t.match(report(5000), { state: 'ended', reason: 'expired', ended_at: '1970-01-01T00:00:05Z' });
  t.match(report(5000, { absoluteExpiresAtMs: 5000 }), { state: 'ended', reason: 'max_age' });
  const silent = reportSession(NOBODY, { nowMs: 0, known: undefined, isRevoked: false }, 0);
  t.match(silent.lines.join('\n'), '- it has ended: ends are not stored, AUDIT_TTL is 0;');
});

// An account's history: `session account`.

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
      'Logins: 2 succeeded, 5 failed, 1 had to wait, 0 failed the challenge; unsuccessful ones came from 1 address.',
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
