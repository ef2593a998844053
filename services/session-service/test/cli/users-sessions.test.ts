// Actions of the users command that end sessions, delete, rename and import.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import { CommandError } from '@tollgate/shared/config';
import { USER_ID_WORDS } from '@tollgate/shared/schemas';
import { hasEntryOf, openRevocationLog } from '@tollgate/shared/sessions';
import { openStore, type Store } from '@tollgate/shared/store';
import { type CommandResult, callCommand } from '@tollgate/test-support/command.js';
import { redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { withSessionEnd } from '../../src/cli/users/end-user-sessions.js';
import { runUsers } from '../../src/cli/users.js';
import { openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import type { SessionRules } from '../../src/domain/session-record.js';
import { hashPassword, verifyPassword } from '../../src/passwords/password-hash.js';
import { openDeviceVoids } from '../../src/stores/device-voids.js';
import { openSessionStore } from '../../src/stores/open-session-store.js';

const RULES: SessionRules = {
  windowMs: 10_000,
  recoveries: 3,
  refreshTtlMs: 60_000,
  notRememberedTtlMs: 60_000,
  maxAgeMs: 600_000,
  maxSessions: 5,
};
const SIDS = ['a'.repeat(22), 'b'.repeat(22)];
const NO_STORE =
  'users: there is no session store in DATA_DIR, so no session was ended; is STORE_URL missing?\n';

/** Runs the command with the folder's data; standard input is piped in. */
function users(dir: string, args: string[], typed = 'a new password', env = {}): Promise<CommandResult> {
  const input = Readable.from([Buffer.from(`${typed}\n`)]) as NodeJS.ReadStream;
  return callCommand(() => runUsers(args, { DATA_DIR: dir, ...env }, { input, prompts: process.stderr }));
}

/** A folder with ada (1) and bob (2), and their sessions in a store. */
async function withSessions(store: Store, dir: string) {
  const sessions = openSessionStore(store, 60_000);
  for (const email of ['ada@example.com', 'bob@example.com']) await users(dir, ['add', email]);
  const start = async (uid: number, sid: string) =>
    sessions.start({ uid, sid, userAgent: 'x', attributes: {} }, RULES);
  for (const sid of SIDS) await start(1, sid);
  await start(2, 'c'.repeat(22));
  return sessions;
}

t.test("a new password or a deletion ends the user's sessions, on both stores", async (t) => {
  const stores = async (t: Test, kind: string, dir: string) => {
    if (kind === 'redis') {
      const { store, url } = await redisStore(t);
      return { store, env: { STORE_URL: url } };
    }
    const store = openStore(`file:${join(dir, 'tollgate.db')}`, dir);
    t.teardown(() => store.close());
    return { store, env: {} };
  };
  for (const kind of ['redis', 'embedded']) {
    for (const [args, out, reason] of [
      [
        ['password', 'ada@example.com'],
        'set the password of ada@example.com and ended 2 sessions\n',
        'password',
      ],
      [
        ['add', '--replace', 'ADA@example.com'],
        'set the password of ada@example.com and ended 2 sessions\n',
        'password',
      ],
      [['delete', 'ada@example.com'], 'deleted ada@example.com and ended 2 sessions\n', 'user_gone'],
    ] as const) {
      const dir = tempDir(t);
      const { store, env } = await stores(t, kind, dir);
      const sessions = await withSessions(store, dir);
      t.strictSame(await users(dir, [...args], undefined, env), { code: 0, out, error: '' });
      t.strictSame(await sessions.list(1), []);
      t.equal((await sessions.list(2)).length, 1, 'those of others go on');
      t.strictSame([...new Set((await sessions.ends(1)).map((end) => end.reason))], [reason]);
      for (const sid of SIDS) t.ok(await hasEntryOf(openRevocationLog(store), sid), 'refused everywhere');
      t.ok(await openDeviceVoids(store).read(1));
    }
  }
});

t.test(
  'without a store it reports that no session was ended; with an unavailable one it changes nothing',
  async (t) => {
    const dir = tempDir(t);
    await users(dir, ['add', 'ada@example.com'], 'the first password');
    t.strictSame(await users(dir, ['password', 'ada@example.com']), {
      code: 0,
      out: 'set the password of ada@example.com\n',
      error: NO_STORE,
    });
    const STORE_URL = 'redis://127.0.0.1:1';
    for (const name of ['password', 'delete']) {
      const { code, out, error } = await users(dir, [name, 'ada@example.com'], 'another one', { STORE_URL });
      t.strictSame({ code, out }, { code: 1, out: '' });
      t.match(error, /^users: the store of STORE_URL is unreachable\n$/);
    }
    const directory = openEmbeddedDirectory(join(dir, 'users.db'));
    const user = await directory.findByEmail('ada@example.com');
    t.ok(await verifyPassword(user?.hash ?? '', 'a new password'));
    await directory.close();
  },
);

t.test('with a store that accepts no writes, the user keeps the password and is not deleted', async (t) => {
  const { store, url, redis } = await redisStore(t);
  const dir = tempDir(t);
  await withSessions(store, dir);
  await redis.client.replicaof('127.0.0.1', '1');
  for (const args of [['password'], ['add', '--replace'], ['delete']]) {
    t.strictSame(await users(dir, [...args, 'ada@example.com'], 'another one', { STORE_URL: url }), {
      code: 1,
      out: '',
      error: 'users: the store is unreachable\n',
    });
  }
  const directory = openEmbeddedDirectory(join(dir, 'users.db'));
  const user = await directory.findByEmail('ada@example.com');
  await directory.close();
  t.ok(await verifyPassword(user?.hash ?? '', 'a new password'));
});

t.test('a store lost during the change: the message tells how to end the remaining sessions', async (t) => {
  const { url, redis } = await redisStore(t);
  const values = {
    STORE_URL: url,
    DATA_DIR: tempDir(t),
    ALLOW_EMBEDDED: false,
    ACCESS_TTL: 900,
    AUDIT_TTL: 60,
  };
  const change = async () => {
    await redis.client.replicaof('127.0.0.1', '1');
    return 'deleted ada@example.com';
  };
  await t.rejects(
    withSessionEnd(values, (end) => end('auth0|ada', 'user_gone', change)),
    new CommandError(
      'deleted ada@example.com, but then the store is unreachable: sessions may remain; ' +
        'end them with DELETE /users/auth0%7Cada/sessions on the admin port',
    ),
  );
});

t.test('a login during the change gets its session ended too', async (t) => {
  const { store, url } = await redisStore(t);
  const dir = tempDir(t);
  const sessions = await withSessions(store, dir);
  const values = { STORE_URL: url, DATA_DIR: dir, ALLOW_EMBEDDED: false, ACCESS_TTL: 900, AUDIT_TTL: 60 };
  const change = async () => {
    await sessions.start({ uid: 1, sid: 'd'.repeat(22), userAgent: 'x', attributes: {} }, RULES);
    return 'set the password';
  };
  t.equal(
    await withSessionEnd(values, (end) => end(1, 'password', change)),
    'set the password and ended 3 sessions',
  );
  t.strictSame(await sessions.list(1), []);
});

t.test('a deleted user is gone, and the id is never reused', async (t) => {
  const dir = tempDir(t);
  for (const email of ['ada@example.com', 'bob@example.com']) await users(dir, ['add', email]);
  t.match(await users(dir, ['delete', 'BOB@example.com']), { code: 0, out: 'deleted bob@example.com\n' });
  t.match(await users(dir, ['delete', 'bob@example.com']), {
    code: 1,
    error: 'users: there is no user bob@example.com\n',
  });
  t.match(await users(dir, ['add', 'bob@example.com']), { out: 'added bob@example.com as user 3\n' });
});

t.test('a user gets another address, with the same id and password', async (t) => {
  const dir = tempDir(t);
  for (const email of ['ada@example.com', 'bob@example.com']) await users(dir, ['add', email]);
  const rename = (...emails: string[]) => users(dir, ['rename', ...emails]);
  t.strictSame(await rename('ada@example.com', 'Lovelace@example.com'), {
    code: 0,
    out: 'user 1 is Lovelace@example.com now\n',
    error: '',
  });
  t.match(await rename('lovelace@example.com', 'lovelace@example.com'), { code: 0 }, 'its spelling alone');
  t.match(await rename('ada@example.com', 'x@example.com'), {
    code: 1,
    error: 'users: there is no user ada@example.com\n',
  });
  t.match(await rename('lovelace@example.com', 'BOB@example.com'), {
    code: 1,
    error: 'users: BOB@example.com is taken\n',
  });
  t.match(await rename('lovelace@example.com', 'x'), { code: 1, error: /not an e-mail address/ });
  for (const wrong of [['ada@example.com'], ['a@b', 'c@d', 'e@f']]) t.equal((await rename(...wrong)).code, 2);
  t.equal((await users(dir, ['delete', '--replace', 'bob@example.com'])).code, 2);
  t.match(await users(dir, ['list']), {
    out: '1\tlovelace@example.com\tenabled\n2\tbob@example.com\tenabled\n',
  });
});

t.test('claims are set, replaced and removed, and are deleted with their user', async (t) => {
  const dir = tempDir(t);
  await users(dir, ['add', 'ada@example.com']);
  const claimsOf = async () => {
    const directory = openEmbeddedDirectory(join(dir, 'users.db'));
    const user = await directory.findByEmail('ada@example.com');
    await directory.close();
    return user?.claims;
  };
  const set = (json: string) => users(dir, ['claims', 'ADA@example.com', json]);
  t.strictSame(await set('{ "roles": ["editor"] }'), {
    code: 0,
    out: 'set the claims of ada@example.com\n',
    error: '',
  });
  t.strictSame(await claimsOf(), { roles: ['editor'] });
  for (const wrong of ['', '[]', '"x"', '{', JSON.stringify({ a: 'x'.repeat(1017) })]) {
    t.match(await set(wrong), {
      code: 1,
      error: 'users: claims must be a JSON object of at most 1024 bytes\n',
    });
  }
  t.strictSame(await claimsOf(), { roles: ['editor'] }, 'a mistake changes nothing');
  t.equal((await set('{}')).code, 0);
  t.equal(await claimsOf(), undefined);
  await set('{"roles":[]}');
  await users(dir, ['delete', 'ada@example.com']);
  await users(dir, ['add', 'ada@example.com']);
  t.equal(await claimsOf(), undefined);
  t.match(await users(dir, ['claims', 'eve@example.com', '{}']), { code: 1, error: /there is no user/ });
  t.equal((await users(dir, ['claims', 'ada@example.com'])).code, 2);
});

t.test('users are imported from JSON lines with their existing hashes', async (t) => {
  const dir = join(tempDir(t), 'data');
  const file = join(tempDir(t), 'users.jsonl');
  const scrypt = '$scrypt$ln=14,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E';
  const lines = [
    { email: 'Ada@Example.com', hash: await hashPassword('argon2id password') },
    { email: 'bob@example.com', hash: await bcryptHash('bcrypt password', 4), disabled: true },
    { email: 'cyd@example.com', hash: scrypt },
    { email: 'dan@example.com', hash: '', claims: { roles: ['editor'] }, id: 'auth0|dan' },
  ];
  writeFileSync(file, `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n')}\n\n`);
  t.strictSame(await users(dir, ['import', file]), { code: 0, out: 'added 4 users\n', error: '' });
  t.match(await users(dir, ['list']), {
    out: '1\tAda@Example.com\tenabled\n2\tbob@example.com\tdisabled\n3\tcyd@example.com\tenabled\nauth0|dan\tdan@example.com\tenabled\n',
  });
  const directory = openEmbeddedDirectory(join(dir, 'users.db'));
  t.ok(await verifyPassword((await directory.findById(1))?.hash ?? '', 'argon2id password'));
  t.ok(await verifyPassword((await directory.findById(2))?.hash ?? '', 'bcrypt password'));
  t.match(await directory.findById(3), { hash: scrypt });
  t.strictSame((await directory.findById('auth0|dan'))?.claims, { roles: ['editor'] });
  await directory.close();
});

t.test('every error in a file is reported by line, and no user is added', async (t) => {
  const dir = tempDir(t);
  await users(dir, ['add', 'ada@example.com']);
  t.match(await users(dir, ['add', 'eve@example.com', '--id', 'taken']), {
    out: 'added eve@example.com as user taken\n',
  });
  await users(dir, ['delete', 'eve@example.com']);
  const file = join(dir, 'users.jsonl');
  const hash = await hashPassword('a password');
  const right = JSON.stringify({ email: 'new@example.com', hash });
  const line = (fields: object) => JSON.stringify({ email: 'x@example.com', hash, ...fields });
  const wrong = [
    [right, ''],
    ['{"email": "secret', 'not a JSON object'],
    ['["secret"]', 'not a JSON object'],
    [line({ email: 'ADA@example.com' }), 'the address is taken'],
    [line({ email: 'NEW@example.com' }), 'the address is the same as in line 1'],
    [line({ email: 'no address' }), 'email is not an e-mail address'],
    [
      line({ hash: 'secret' }),
      'hash has no known form (docs/operations/password-hashes.md), is damaged, or costs too much',
    ],
    [line({ hash: 7 }), 'hash: Expected string'],
    [line({ admin: true }), 'admin: Unexpected property'],
    ['{"email":"y@example.com"}', 'hash: Expected required property'],
    [line({ id: 'a:b' }), `id is not ${USER_ID_WORDS}`],
    [line({ id: '7' }), `id is not ${USER_ID_WORDS}`],
    [line({ id: 7.5 }), 'id: Expected union value'],
    [line({ id: 'taken' }), 'the id is taken'],
    [line({ email: 'b@example.com', id: 'twice' }), ''],
    [line({ email: 'c@example.com', id: 'twice' }), 'the id is the same as in line 15'],
    [line({ claims: ['admin'] }), 'claims: Expected object'],
    [line({ claims: { a: 'x'.repeat(1017) } }), 'claims are longer than 1024 bytes'],
  ];
  writeFileSync(file, wrong.map(([text]) => text).join('\n'));
  const expected = wrong.flatMap(([, mistake], index) =>
    mistake === '' ? [] : [`users: ${file}:${index + 1}: ${mistake}\n`],
  );
  t.strictSame(await users(dir, ['import', file]), { code: 1, out: '', error: expected.join('') });
  writeFileSync(file, `${right}\n${line({ email: 'ada@example.com' })}`);
  t.match(await users(dir, ['import', file]), { code: 1, error: `users: ${file}:2: the address is taken\n` });
  t.match(await users(dir, ['list']), { out: '1\tada@example.com\tenabled\n' });
  t.match(await users(dir, ['import', join(dir, 'none')]), { code: 1, error: /none cannot be read: ENOENT/ });
});
