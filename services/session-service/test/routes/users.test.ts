// Users with text ids, and with claims, at every route and in both token formats.

import { createSigningKey } from '@tollgate/shared/crypto';
import { callCommand } from '@tollgate/test-support/command.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { runSession } from '../../src/cli/session.js';
import {
  type Directory,
  DirectoryUnavailableError,
  readDirectoryUser,
} from '../../src/directory/directory.js';
import {
  API_KEY,
  heldFrom,
  logIn,
  refresh,
  SECRETS,
  type SessionNode,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { askForCode, codeFor, exchange, introspected } from '../support/sign-in-codes.js';

const UUID = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const LONG = `auth0|${'x'.repeat(50)}@+~._-42`.padEnd(64, 'z');
const USERS = { ann: UUID, bob: LONG, cyd: '7seven' } as const;
const ANN = 'ann@example.com';
const CLAIMS = { roles: ['editor'], tenant: { id: 7, name: 'Café' }, beta: true };

// Text ids, beside numeric ones.

const PUBLIC = {
  ACCESS_TOKEN_FORMAT: 'public',
  ACCESS_SIGNING_KEYS: createSigningKey('ES256'),
  ACCESS_SECRET: '',
};

const addressOf = (name: string) => `${name}@example.com`;

/** Seven users with numeric ids, and those with text ids. */
async function mixedDirectory(t: Test) {
  const numbered = Array.from({ length: 7 }, (_, n) => `user${n + 1}@example.com`);
  const directory = await userDirectory(t, ...numbered);
  for (const [name, id] of Object.entries(USERS)) await directory.add(addressOf(name), 'h', id);
  return directory;
}

const onAdmin = ({ admin }: SessionNode, method: 'GET' | 'DELETE', path: string) =>
  admin.inject({ method, url: `/users/${path}`, headers: { authorization: `Bearer ${API_KEY}` } });

t.test('a text id is the same text wherever a user is named', async (t) => {
  await eachKind(t, async (t, { store, clock, url }) => {
    const directory = await mixedDirectory(t);
    for (const env of [{}, PUBLIC]) {
      const lines: string[] = [];
      const node = await startNode(t, { store, directory, env, clock, onLine: (line) => lines.push(line) });
      for (const [name, id] of Object.entries(USERS)) {
        const inPath = encodeURIComponent(id);
        const held = await logIn(node, addressOf(name));
        const sid = await sessionIdOf(node, held);
        t.strictSame((await withBearer(node, 'GET', '/profile', held)).json(), {
          id,
          email: addressOf(name),
        });
        t.equal((await withBearer(node, 'GET', '/verify', held)).headers['x-auth-user-id'], id);
        t.match(await introspected(node, held), { active: true, sub: id, sid });
        t.match(node.app.tokens.access.read(held.accessToken), { ok: true, claims: { id } });

        const answer = await refresh(node, held);
        t.equal(answer.statusCode, 200);
        const renewed = heldFrom(answer);
        t.match((await withBearer(node, 'GET', '/profile', renewed)).json(), { id });
        t.match((await onAdmin(node, 'GET', `${inPath}/sessions`)).json(), { sessions: [{ id: sid }] });

        const byCode = await exchange(node, { code: await codeFor(node, inPath) });
        t.equal(byCode.statusCode, 200);
        t.match((await withBearer(node, 'GET', '/profile', heldFrom(byCode))).json(), { id });
        t.equal((await onAdmin(node, 'DELETE', `${inPath}/sessions/${sid}`)).statusCode, 204);
        t.equal((await refresh(node, renewed)).json().code, 'session_revoked');
        t.equal((await onAdmin(node, 'DELETE', `${inPath}/sessions`)).statusCode, 204);
        t.equal((await refresh(node, heldFrom(byCode))).json().code, 'session_revoked');

        const events = lines.map((line) => JSON.parse(line)).filter((line) => line.sid === sid);
        t.match(events, [
          { event: 'login', uid: id },
          { event: 'revoke', uid: id, reason: 'admin' },
        ]);
        for (const args of [[], ['--user', id]]) {
          const why = await callCommand(() =>
            runSession(['why', sid, '--json', ...args], { STORE_URL: url }),
          );
          t.match(JSON.parse(why.out), { session: sid, state: 'ended', user: id, reason: 'admin' });
        }
        const { CHALLENGE_SECRET } = SECRETS;
        const account = await callCommand(() =>
          runSession(['account', addressOf(name), '--json'], { STORE_URL: url, CHALLENGE_SECRET }),
        );
        const { events: history } = JSON.parse(account.out);
        t.ok(history.length > 0 && history.every(({ user }: { user: unknown }) => user === id));
      }
      await node.close();
    }
  });
});

t.test('user 7 is not a user whose id begins with 7, and no text names a numeric id', async (t) => {
  await eachKind(t, async (t, { store, clock }) => {
    const directory = await mixedDirectory(t);
    t.equal(await directory.findById('7'), undefined);
    t.equal(await directory.saveHash('7', 'not looked at', 'stolen'), false);
    t.equal(await directory.findById(8), undefined, 'the number of the row of a user with a text id');
    const node = await startNode(t, { store, directory, clock });
    const seven = await logIn(node, 'user7@example.com');
    const text = await logIn(node, addressOf('cyd'));
    t.strictSame((await withBearer(node, 'GET', '/profile', seven)).json(), {
      id: 7,
      email: 'user7@example.com',
    });
    const list = async (path: string) => (await onAdmin(node, 'GET', `${path}/sessions`)).json().sessions;
    const [ofSeven] = await list('7');
    const [ofText] = await list('7seven');
    t.equal(ofSeven.id, await sessionIdOf(node, seven));
    t.equal(ofText.id, await sessionIdOf(node, text));
    t.equal((await onAdmin(node, 'DELETE', `7seven/sessions/${ofSeven.id}`)).statusCode, 404);
    t.equal((await onAdmin(node, 'DELETE', '7seven/sessions')).statusCode, 204);
    t.equal((await refresh(node, seven)).statusCode, 200);
    t.equal((await refresh(node, text)).json().code, 'session_revoked');
  });
});

t.test('an invalid id in a path is rejected, with any separator', async (t) => {
  await eachKind(t, async (t, { store, clock }) => {
    const directory = await mixedDirectory(t);
    const node = await startNode(t, { store, directory, clock });
    const held = await logIn(node, addressOf('ann'));
    const hostile = [
      ...[
        '%00',
        '%0a',
        '%0d%0aX:1',
        '%09',
        '%20',
        '%3a',
        '%7b',
        '%7d',
        '%2f',
        '%5c',
        '%22',
        '%27',
        '*',
        '%25',
      ],
      ...['%d0%b0', '%e2%80%8b', '%ef%bc%97'],
    ].flatMap((part) => [`${UUID}${part}`, `${part}${UUID}`, `a${part}b`]);
    const whole = ['-', '_', '0', '07', '9007199254740993', 'x'.repeat(65), `${UUID}}:ended`, '7}:devices'];
    for (const path of [...hostile, ...whole]) {
      for (const below of ['sessions', 'sessions/AAAAAAAAAAAAAAAAAAAAAA']) {
        const answer = await onAdmin(node, 'DELETE', `${path}/${below}`);
        t.equal(answer.statusCode, 404, `${path}/${below}`);
      }
      t.equal((await askForCode(node, path)).statusCode, 404, path);
    }
    t.equal((await refresh(node, held)).statusCode, 200);
  });
});

t.test('a text id is unchanged when its user is renamed, and is never reused', async (t) => {
  const directory = await mixedDirectory(t);
  t.match(await directory.rename(addressOf('ann'), 'anna@example.com'), { id: UUID });
  t.match(await directory.setClaims('anna@example.com', { roles: ['a'] }), {
    id: UUID,
    claims: { roles: ['a'] },
  });
  t.equal(await directory.saveHash(UUID, 'h', 'new'), true);
  t.match(await directory.findById(UUID), { hash: 'new', email: 'anna@example.com' });
  t.equal(await directory.add('other@example.com', 'h', UUID), undefined);
  t.match(await directory.remove('anna@example.com'), { id: UUID });
  t.equal(await directory.findById(UUID), undefined);
  t.equal(await directory.add('other@example.com', 'h', UUID), undefined);
  t.match(await directory.add('other@example.com', 'h'), { id: 11 }, 'numbers go on after all users');
  t.strictSame(
    (await directory.list()).map(({ id }) => id),
    [1, 2, 3, 4, 5, 6, 7, LONG, '7seven', 11],
  );
});

// Directory claims, at every refresh and in the introspection.

const FORMATS = {
  sealed: {},
  public: {
    ACCESS_TOKEN_FORMAT: 'public',
    ACCESS_SIGNING_KEYS: createSigningKey('ES256'),
    ACCESS_SECRET: '',
  },
};

for (const [format, env] of Object.entries(FORMATS)) {
  t.test(`directory claims are in every token: ${format}`, async (t) => {
    await eachKind(t, async (t, { store, clock }) => {
      const directory = await userDirectory(t, ANN);
      await directory.setClaims(ANN, CLAIMS);
      let isAway = false;
      const node = await startNode(t, {
        store,
        env,
        clock,
        directory: {
          ...directory,
          findById: async (id) => {
            if (isAway) throw new DirectoryUnavailableError('away');
            return directory.findById(id);
          },
        },
      });
      const claimsOf = async (held: { accessToken: string }) => (await introspected(node, held)).claims;
      let held = await logIn(node, ANN);
      t.strictSame(await claimsOf(held), CLAIMS, 'after a login');
      t.strictSame(await claimsOf(heldFrom(await exchange(node, { code: await codeFor(node, 1) }))), CLAIMS);
      t.strictSame(
        (await withBearer(node, 'GET', '/profile', held)).json(),
        { id: 1, email: ANN },
        'the profile stays as it is',
      );

      await directory.setClaims(ANN, { roles: [] });
      held = heldFrom(await refresh(node, held));
      t.strictSame(await claimsOf(held), { roles: [] }, 'a refresh has the present ones');
      isAway = true;
      held = heldFrom(await refresh(node, held));
      t.strictSame(await claimsOf(held), { roles: [] }, 'without the directory they stay');
      isAway = false;
      await directory.setClaims(ANN, undefined);
      held = heldFrom(await refresh(node, held));
      t.notOk('claims' in (await introspected(node, held)), 'none');

      const largest = { text: '"'.repeat(506) };
      t.equal(JSON.stringify(largest).length, 1023);
      await directory.setClaims(ANN, largest);
      held = heldFrom(await refresh(node, held));
      t.strictSame(await claimsOf(held), largest, 'the largest fit');
      t.ok(held.cookie.length < 3500 && held.accessToken.length < 3500, 'into a cookie and a header');
    });
  });
}

t.test('a disabled user with oversized claims could still refresh', async (t) => {
  const { store } = embeddedStore(t);
  const directory = await userDirectory(t, ANN);
  let row: object = {};
  const findById: Directory['findById'] = async (id) => {
    const user = await directory.findById(id);
    return user && readDirectoryUser({ ...user, ...row }, 'the directory');
  };
  const node = await startNode(t, { store, directory: { ...directory, findById } });
  const held = heldFrom(await refresh(node, await logIn(node, ANN)));
  row = { claims: { text: 'x'.repeat(2000) } };
  const again = heldFrom(await refresh(node, held));
  row = { ...row, disabled: true };
  const refused = await refresh(node, again);
  t.match([refused.statusCode, refused.json().code], [401, 'session_revoked']);
});
