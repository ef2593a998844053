// The directory on a real PostgreSQL.

import { once } from 'node:events';
import { unlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { USER_ID_WORDS } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { type Directory, DirectoryUnavailableError } from '../../src/directory/directory.js';
import { openPostgresDirectory } from '../../src/directory/postgres-directory.js';
import type { PostgresLimits } from '../../src/directory/postgres-pool.js';
import type { StatementTexts } from '../../src/directory/postgres-statements.js';
import { startPgBouncer, startPostgres } from '../support/postgres.js';
import { testDirectory } from './directory-contract.js';

const server = await startPostgres(t);
let tables = 0;

const UUIDS = ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', '00000000-0000-4000-8000-000000000008'] as const;

/** A table with ada and bob, whose addresses are stored as typed, and the statements for it. */
async function makeTable(idType = 'bigint', [ada, bob]: readonly [string, string] = ['7', '8']) {
  const table = `users_${++tables}`;
  await server.sql(`
    CREATE TABLE ${table} (id ${idType} PRIMARY KEY, email text, hash text, disabled boolean);
    INSERT INTO ${table} VALUES
      ('${ada}', 'Ada@Example.com', 'hash of ada', false), ('${bob}', 'bob@example.com', 'hash of bob', true)`);
  const statements = {
    byEmail: `SELECT id, email, hash, disabled FROM ${table} WHERE lower(email) = $1`,
    byId: `SELECT id, email, hash, disabled FROM ${table} WHERE id = $1`,
    saveHash: `UPDATE ${table} SET hash = $3 WHERE id = $1 AND hash = $2`,
  };
  return { table, statements };
}

function open(t: Test, statements: StatementTexts, limits: Partial<PostgresLimits> = {}, url = server.url) {
  // Long timeouts for tests without timing, so that a busy machine makes no difference.
  const patient = { connectMs: 20_000, statementMs: 20_000 };
  const directory = openPostgresDirectory(url, statements, { ...patient, ...limits });
  t.teardown(() => directory.close());
  return directory;
}

/** The directory's error message for a request. */
async function complaint(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof DirectoryUnavailableError && error.cause === undefined
    ? error.message
    : 'no complaint';
}

t.test('it fulfils the directory contract', async (t) => {
  for (const idType of ['bigint', 'integer', 'numeric']) {
    await t.test(`with an id of type ${idType}`, (t) =>
      testDirectory(t, async (t) => {
        const { statements } = await makeTable(idType);
        const { saveHash, ...directory } = open(t, statements);
        if (saveHash === undefined) throw new TypeError('a directory that saves no hash');
        return {
          directory: { ...directory, saveHash },
          ada: { id: 7, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false },
          bob: { id: 8, email: 'bob@example.com', hash: 'hash of bob', disabled: true },
        };
      }),
    );
  }
});

t.test('it fulfils the contract with text ids', async (t) => {
  for (const idType of ['uuid', 'text', 'varchar(64)', 'char(40)']) {
    await t.test(`in a column of type ${idType}`, (t) =>
      testDirectory(t, async (t) => {
        const { statements } = await makeTable(idType, UUIDS);
        const { saveHash, ...directory } = open(t, statements);
        if (saveHash === undefined) throw new TypeError('a directory that saves no hash');
        t.strictSame(await directory.probe(), []);
        const [ada, bob] = UUIDS;
        return {
          directory: { ...directory, saveHash },
          ada: { id: ada, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false },
          bob: { id: bob, email: 'bob@example.com', hash: 'hash of bob', disabled: true },
        };
      }),
    );
  }
});

t.test('a numeric text is not an id, unless the statements convert it', async (t) => {
  const { table, statements } = await makeTable('text', ['7', 'bob']);
  const directory = open(t, statements);
  const words = `returned a user whose id is not ${USER_ID_WORDS}`;
  t.equal(await complaint(directory.findByEmail('ada@example.com')), `USERS_BY_EMAIL ${words}`);
  t.equal(await complaint(directory.findById(7)), `USERS_BY_ID ${words}`);
  t.match(await directory.findByEmail('bob@example.com'), { id: 'bob' });
  t.match(await directory.findById('bob'), { id: 'bob' });
  const cast = (text: string) => text.replace('SELECT id', 'SELECT id::bigint AS id');
  await server.sql(`DELETE FROM ${table} WHERE id = 'bob'`);
  const numbers = open(t, { ...statements, byEmail: cast(statements.byEmail), byId: cast(statements.byId) });
  t.match(await numbers.findByEmail('ada@example.com'), { id: 7 });
  t.match(await numbers.findById(7), { id: 7 });
  t.equal(await numbers.findById('nobody'), undefined);
});

t.test('only a requested value that the column cannot contain means that no user exists', async (t) => {
  const { table, statements } = await makeTable('uuid', UUIDS);
  const [ada] = UUIDS;
  const directory = open(t, statements);
  for (const id of [7, 'nobody', `${ada}x`, 'x'.repeat(64)]) t.equal(await directory.findById(id), undefined);
  t.equal(await directory.findById(ada.toUpperCase()), undefined, 'an id has one spelling');
  await server.sql(`ALTER TABLE ${table} ADD words text; UPDATE ${table} SET words = 'no json'`);
  const add = (text: string) => text.replace('disabled FROM', 'disabled, words::json AS claims FROM');
  const broken = open(t, { ...statements, byId: add(statements.byId) });
  t.equal(await complaint(broken.findById(ada)), 'the user database does not respond: error 22P02');
  await t.resolves(directory.probe());
  await server.sql(`DROP TABLE ${table}`);
  t.equal(await complaint(directory.health()), 'the user database does not respond: error 42P01');
});

t.test('a service whose database speaks French did not start', async (t) => {
  const french = await startPostgres(t, 'fr');
  // In the locale C nothing is translated.
  await french.sql("ALTER ROLE tester SET lc_messages = 'C.UTF-8'");
  const message = await french.sql("SELECT 'x'::uuid").catch((error: Error) => error.message);
  if (!String(message).includes('syntaxe')) t.comment('PostgreSQL has no translations here');
  await french.sql(`
    CREATE TABLE users (id uuid PRIMARY KEY, email text, hash text, disabled boolean);
    INSERT INTO users VALUES ('${UUIDS[0]}', 'ada@example.com', 'hash', false)`);
  const text = 'SELECT id, email, hash, disabled FROM users WHERE';
  const directory = open(t, { byEmail: `${text} email = $1`, byId: `${text} id = $1` }, {}, french.url);
  t.strictSame(await directory.probe(), []);
  await t.resolves(directory.health());
  t.match(await directory.findById(UUIDS[0]), { email: 'ada@example.com' });
  t.equal(await directory.findById('nobody'), undefined);
});

t.test('a malformed id was an outage where the statement converts it', async (t) => {
  const { statements } = await makeTable('uuid', UUIDS);
  const byId = statements.byId.replace('$1', '$1::text::uuid');
  const directory = open(t, { ...statements, byId });
  t.strictSame(await directory.probe(), []);
  t.match(await directory.findById(UUIDS[0]), { id: UUIDS[0] });
  t.equal(await directory.findById('nobody'), undefined);
});

t.test("an unreadable row counted as a missing user, and all the user's sessions ended", async (t) => {
  const { table, statements } = await makeTable();
  await server.sql(`ALTER TABLE ${table} ADD num numeric; UPDATE ${table} SET num = 99999999999999999999`);
  const text = statements.byId.replace('SELECT id', 'SELECT num::bigint AS id');
  const saveHash = `${statements.saveHash} AND num::bigint = 1`;
  const directory = open(t, { ...statements, byId: text, saveHash });
  t.strictSame(await directory.probe(), []);
  const outOfRange = 'the user database does not respond: error 22003';
  t.equal(await complaint(directory.findById(7)), outOfRange);
  t.equal(await complaint(directory.saveHash?.(7, 'hash of ada', 'new') ?? Promise.resolve()), outOfRange);
  t.equal(await directory.findById(9), undefined, 'a missing user is missing');
  t.equal(await directory.findById('9'.repeat(30)), undefined, 'so is an id out of range');

  await server.sql("CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII'");
  const bytes = open(
    t,
    {
      byEmail: "SELECT 7 AS id, $1 AS email, convert_from('\\xe4', 'SQL_ASCII') AS hash, false AS disabled",
      byId: "SELECT $1::int AS id, 'e' AS email, convert_from('\\xe4', 'SQL_ASCII') AS hash, false AS disabled",
    },
    {},
    server.url.replace('/postgres?', '/bytes?'),
  );
  t.equal(await complaint(bytes.findById(7)), 'the user database does not respond: error 22021');
});

t.test('an address with characters that the database cannot store finds nobody', async (t) => {
  await server.sql("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'");
  const { statements } = await makeTable();
  const text = "SELECT 7 AS id, $1 AS email, 'h' AS hash, false AS disabled";
  const url = server.url.replace('/postgres?', '/latin?');
  const directory = open(t, { ...statements, byEmail: text }, {}, url);
  t.match(await directory.findByEmail('zoë@example.com'), { email: 'zoë@example.com' });
  t.equal(await directory.findByEmail('zażółć@example.com'), undefined);
});

t.test('an existing table is used unchanged, with column aliases', async (t) => {
  await server.sql(`
    CREATE TABLE members (
      member_no integer PRIMARY KEY, login varchar(80), pw char(100), state text, nickname text);
    INSERT INTO members VALUES
      (2147483647, 'ada@example.com', '$2b$12$x', 'active', 'A'), (2, 'bob@example.com', 'h', 'locked', 'B')`);
  const columns = `member_no AS id, login AS email, pw AS hash, state = 'locked' AS disabled, nickname`;
  const directory = open(t, {
    byEmail: `SELECT ${columns} FROM members WHERE login = $1`,
    byId: `SELECT ${columns} FROM members WHERE member_no = $1`,
    saveHash: 'UPDATE members SET pw = $3 WHERE member_no = $1 AND pw = $2',
  });
  const ada = { id: 2147483647, email: 'ada@example.com', hash: '$2b$12$x', disabled: false };
  t.strictSame(await directory.probe(), []);
  t.strictSame(await directory.findByEmail('ada@example.com'), ada, 'without the blanks of char(n)');
  t.strictSame(await directory.findById(2), { id: 2, email: 'bob@example.com', hash: 'h', disabled: true });
  t.equal(await directory.saveHash?.(ada.id, ada.hash, 'new'), true);
  t.match(await directory.findById(ada.id), { hash: 'new' });
});

t.test('a null `disabled` means enabled, and a null hash means no password', async (t) => {
  const { table, statements } = await makeTable();
  await server.sql(`UPDATE ${table} SET disabled = NULL, hash = NULL WHERE id = 8`);
  const bob = { id: 8, email: 'bob@example.com', hash: '', disabled: false };
  t.strictSame(await open(t, statements).findById(8), bob);
});

t.test('a `claims` column of JSON or text is read, and any other type is an error', async (t) => {
  const { table, statements } = await makeTable();
  await server.sql(`
    ALTER TABLE ${table} ADD claims jsonb, ADD words text, ADD age integer;
    UPDATE ${table} SET claims = '{"roles": ["editor"]}', words = '{"plan": "gold"}' WHERE id = 7`);
  const reading = (column: string) => {
    const add = (text: string) => text.replace('disabled FROM', `disabled, ${column} AS claims FROM`);
    return open(t, { ...statements, byEmail: add(statements.byEmail), byId: add(statements.byId) });
  };
  const directory = reading('claims');
  t.strictSame(await directory.probe(), []);
  t.strictSame((await directory.findById(7))?.claims, { roles: ['editor'] });
  t.notOk('claims' in ((await directory.findByEmail('bob@example.com')) ?? {}), 'null is none');
  t.strictSame((await reading('words').findById(7))?.claims, { plan: 'gold' });
  t.strictSame(
    await reading('age').probe(),
    ['USERS_BY_EMAIL', 'USERS_BY_ID'].map((name) => `${name} returns a column claims that is not JSON`),
  );
  await server.sql(`UPDATE ${table} SET words = 'secret' WHERE id = 7`);
  t.equal(
    await complaint(reading('words').findById(7)),
    'USERS_BY_ID returned a user whose claims are not a JSON object of at most 1024 bytes',
  );
});

t.test('an `account` column is the account key, and must be a text', async (t) => {
  const { table, statements } = await makeTable();
  await server.sql(
    `ALTER TABLE ${table} ADD login char(20), ADD age integer; UPDATE ${table} SET login = 'Ada' WHERE id = 7`,
  );
  const reading = (column: string) => {
    const add = (text: string) => text.replace('disabled FROM', `disabled, ${column} AS account FROM`);
    return open(t, { ...statements, byEmail: add(statements.byEmail), byId: add(statements.byId) });
  };
  const directory = reading('login');
  t.strictSame(await directory.probe(), []);
  t.equal((await directory.findById(7))?.account?.trim(), 'Ada');
  t.notOk('account' in ((await directory.findById(8)) ?? {}), 'null is none');
  t.strictSame(
    await reading('age').probe(),
    ['USERS_BY_EMAIL', 'USERS_BY_ID'].map((name) => `${name} returns a column account that is not text`),
  );
});

t.test('ids reach up to 2^53 - 1', async (t) => {
  const { table, statements } = await makeTable();
  const { MAX_SAFE_INTEGER } = Number;
  await server.sql(`
    INSERT INTO ${table} VALUES
      (${MAX_SAFE_INTEGER}, 'max@x.org', 'h'), (9007199254740992, 'over@x.org', 'h'), (0, 'zero@x.org', 'h')`);
  const directory = open(t, statements);
  t.match(await directory.findById(MAX_SAFE_INTEGER), { id: MAX_SAFE_INTEGER, email: 'max@x.org' });
  const words = `USERS_BY_EMAIL returned a user whose id is not ${USER_ID_WORDS}`;
  t.equal(await complaint(directory.findByEmail('over@x.org')), words);
  t.equal(await complaint(directory.findByEmail('zero@x.org')), words);
});

t.test('an SQL injection in an address finds nobody and changes nothing', async (t) => {
  const { table, statements } = await makeTable();
  const directory = open(t, statements);
  const hostile = [
    ...["' OR '1'='1", "ada@example.com' --", "'; DROP TABLE users; --", `'; DELETE FROM ${table}; --`],
    ...[
      '$1',
      '$$',
      '\\',
      "\\' OR 1=1 --",
      'ada@example.com\0',
      '\ud800',
      '%',
      '_da@example.com',
      '\u2019 OR 1=1',
    ],
  ];
  for (const key of hostile) t.equal(await directory.findByEmail(key), undefined);
  for (const key of hostile.filter((text) => !text.includes('\0') && text !== '\ud800')) {
    t.equal(await directory.saveHash?.(7, 'hash of ada', key), true);
    t.equal((await directory.findById(7))?.hash, key);
    t.equal(await directory.saveHash?.(7, key, 'hash of ada'), true);
  }
  t.strictSame(await server.sql(`SELECT count(*)::int AS n FROM ${table}`), [{ n: 2 }]);
});

t.test('statements are prepared once per connection', async (t) => {
  const { statements } = await makeTable();
  // The connection's prepared statements, returned as the email address of the requested user.
  const prepared = `(SELECT string_agg(name, ',' ORDER BY name) FROM pg_prepared_statements)`;
  const directory = open(
    t,
    { ...statements, byId: `SELECT $1::int AS id, ${prepared} AS email, 'h' AS hash, false AS disabled` },
    { connections: 1 },
  );
  for (let times = 0; times < 3; times++) await directory.findByEmail('ada@example.com');
  t.equal((await directory.findById(1))?.email, 'tollgate_user_by_email,tollgate_user_by_id');
});

t.test('a new column in the table rejected a login on each connection', async (t) => {
  const { table, statements } = await makeTable();
  const all = (text: string) => text.replace('id, email, hash, disabled', '*');
  const { byEmail, byId, saveHash } = statements;
  const returning = `${saveHash} RETURNING *`;
  const texts = { byEmail: all(byEmail), byId: all(byId), saveHash: returning };
  const directory = open(t, texts, { connections: 4 });
  const ask = () =>
    Promise.all(
      Array.from({ length: 4 }, () => [
        directory.findById(7),
        directory.findByEmail('ada@example.com'),
        directory.saveHash?.(7, 'hash of ada', 'hash of ada'),
      ]).flat(),
    );
  // Every connection has every statement.
  for (let round = 0; round < 5; round++) await ask();
  await server.sql(`ALTER TABLE ${table} ADD nickname text`);
  const ada = { id: 7, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false };
  t.strictSame(await ask(), Array.from({ length: 4 }, () => [ada, ada, true]).flat());
  t.strictSame(await directory.probe(), []);
});

t.test('the probe reports each faulty statement in one line', async (t) => {
  const { table, statements } = await makeTable();
  const select = (columns: string) => `SELECT ${columns} FROM ${table} WHERE id::text = $1`;
  const cases: [StatementTexts, string[]][] = [
    [{}, []],
    [{ saveHash: undefined }, []],
    [{ byEmail: select('id, email, hash') }, ['USERS_BY_EMAIL returns no column disabled']],
    [{ byId: select('id AS "ID"') }, ['USERS_BY_ID returns no column id, email, hash, disabled']],
    [
      { byId: select('disabled AS id, email, id AS hash, 0 AS disabled') },
      [
        'USERS_BY_ID returns a column id that is neither a whole number nor a text',
        'USERS_BY_ID returns a column disabled that is not boolean',
        'USERS_BY_ID returns a column hash that is not text',
      ],
    ],
    [{ byEmail: 'SELEC $1' }, ['USERS_BY_EMAIL does not run: syntax error at or near "SELEC"']],
    [
      { byEmail: select('mail'), byId: 'SELECT 1 FROM nowhere WHERE id = $1' },
      [
        'USERS_BY_EMAIL does not run: column "mail" does not exist',
        'USERS_BY_ID does not run: relation "nowhere" does not exist',
      ],
    ],
    [
      { byEmail: `${statements.byEmail}; DROP TABLE ${table}` },
      ['USERS_BY_EMAIL does not run: cannot insert multiple commands into a prepared statement'],
    ],
    [
      { saveHash: `UPDATE ${table} SET pw = $3 WHERE id = $1 AND hash = $2` },
      [`USERS_SAVE_HASH does not run: column "pw" of relation "${table}" does not exist`],
    ],
  ];
  for (const [wrong, lines] of cases) {
    t.strictSame(await open(t, { ...statements, ...wrong }).probe(), lines);
  }
  const [line, ...more] = await open(t, { ...statements, byId: statements.byId.replace('$1', '1') }).probe();
  t.match(line, /^USERS_BY_ID does not run: bind message supplies 1 parameters/);
  t.strictSame(more, []);
  t.match(await open(t, statements).findById(7), { hash: 'hash of ada' }, 'nothing was changed by probing');
});

t.test('a rejected password and a missing database are errors, reported without the password', async (t) => {
  const { statements } = await makeTable();
  const wrongPassword = server.url.replace(server.password, 'another-secret');
  const lines = await open(t, statements, {}, wrongPassword).probe();
  t.strictSame(lines, [
    'USERS_URL is wrong: the user database does not respond: the server rejects the user or the password',
  ]);
  const noDatabase = server.url.replace('/postgres?', '/nowhere?');
  t.strictSame(await open(t, statements, {}, noDatabase).probe(), [
    'USERS_URL is wrong: the user database does not respond: the server has no such database',
  ]);
  t.throws(
    () => openPostgresDirectory('postgres://u:se%ret@h:port/d', statements),
    new RangeError('cannot be parsed: special characters in user and password must be percent-encoded'),
  );
  t.throws(
    () => openPostgresDirectory(server.url, { byEmail: 'x' }),
    new RangeError('with postgres:// needs USERS_BY_EMAIL and USERS_BY_ID'),
  );
});

t.test('a missing certificate file was reported as a password with special characters', async (t) => {
  const { statements } = await makeTable();
  const cases = {
    'sslmode=verify-full&sslrootcert=/nowhere/ca.pem': 'sslrootcert that cannot be read: ENOENT',
    [`sslcert=${process.execPath}&sslkey=/nowhere/the%20key`]: 'sslkey that cannot be read: ENOENT',
    'sslrootcert=/': 'sslrootcert that cannot be read: EISDIR',
  };
  for (const [query, words] of Object.entries(cases)) {
    t.throws(
      () => openPostgresDirectory(`postgres://u:secret@h/d?${query}`, statements),
      new RangeError(`names a file in ${words}`),
    );
  }
});

t.test('a certificate file that was replaced ended the process when the connection broke', async (t) => {
  const certificate = join(tempDir(t), 'ca.pem');
  writeFileSync(certificate, 'a certificate');
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const query = `sslmode=verify-full&sslrootcert=${certificate}`;
  const { statements } = await makeTable();
  const directory = open(t, statements, { connections: 1 }, `postgres://u:p@127.0.0.1:${port}/d?${query}`);
  // The second waits for the connection of the first.
  const both = Promise.all([complaint(directory.findById(1)), complaint(directory.findById(2))]);
  await until(() => sockets.length > 0, 'the first connects');
  unlinkSync(certificate);
  sockets[0]?.destroy();
  await until(() => sockets.length > 1, 'the second connects, with the certificate from the start');
  sockets[1]?.destroy();
  for (const text of await both) t.match(text, /^the user database does not respond/);
});

t.test('an invalid user is rejected, and no value is disclosed', async (t) => {
  const { statements } = await makeTable();
  const returns = (columns: string) => ({ ...statements, byEmail: `${columns}, $1::text AS key` });
  const cases = {
    "SELECT 7 AS id, 'secret' AS email, 1 AS hash, false AS disabled": 'whose hash is not a text',
    "SELECT 7 AS id, NULL AS email, 'secret' AS hash, false AS disabled": 'whose email is not a text',
    "SELECT 'se cret' AS id, 'e' AS email, 'h' AS hash, false AS disabled": `whose id is not ${USER_ID_WORDS}`,
    "SELECT 7 AS id, 'e' AS email, 'h' AS hash, 'secret' AS disabled": 'whose disabled is not true or false',
    "SELECT 7 AS id, 'e' AS email, 'h' AS hash": 'without disabled',
  };
  for (const [columns, words] of Object.entries(cases)) {
    const asked = open(t, returns(columns)).findByEmail('ada@example.com');
    t.equal(await complaint(asked), `USERS_BY_EMAIL returned a user ${words}`);
  }
  const two = { ...statements, byEmail: statements.byEmail.replace('lower(email) = $1', '$1 <> email') };
  await t.rejects(open(t, two).findByEmail('x'), {
    name: 'UnusableUserError',
    message: 'USERS_BY_EMAIL returned more than one user',
    userIds: [7, 8],
  });
  const other = { ...statements, byId: statements.byId.replace('id = $1', 'id <> $1') };
  t.equal(
    await complaint(open(t, other).findById(8)),
    'USERS_BY_ID returned another user than the requested one',
  );
});

t.test('without USERS_SAVE_HASH the directory has no saveHash', async (t) => {
  const { statements } = await makeTable();
  t.notOk('saveHash' in open(t, { ...statements, saveHash: undefined }));
});

t.test('a slow statement is cancelled on the server, and the next one runs', async (t) => {
  const { statements } = await makeTable();
  const slow = `SELECT 7 AS id, 'e' AS email, pg_sleep(60)::text AS hash, $1 = '' AS disabled`;
  const directory = open(t, { ...statements, byEmail: slow }, { statementMs: 500, connections: 1 });
  t.equal(
    await complaint(directory.findByEmail('ada@example.com')),
    'the user database does not respond: a statement took too long',
  );
  t.strictSame(
    await server.sql(
      "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT 7%pg_sleep%'",
    ),
    [],
  );
  t.match(await directory.findById(7), { hash: 'hash of ada' });
});

t.test('every wait has a time limit: for a connection and in the queue', async (t) => {
  const { statements } = await makeTable();
  const slow = `SELECT 7 AS id, pg_sleep(60)::text AS hash, $1 = '' AS disabled`;
  const limits = { connections: 2, waiting: 3, connectMs: 1000, statementMs: 2000 };
  const directory = open(t, { ...statements, byEmail: slow }, limits);
  // The queue forms behind existing connections.
  await Promise.all([directory.findById(7), directory.findById(8)]);
  const asked = Array.from({ length: 7 }, () => complaint(directory.findByEmail('ada@example.com')));
  const tooLong = 'the user database does not respond: a statement took too long';
  const noConnection = 'the user database does not respond: all its connections are in use';
  const tooMany = 'too many statements wait for the user database';
  const expected = [tooLong, tooLong, noConnection, noConnection, noConnection, tooMany, tooMany];
  t.strictSame((await Promise.all(asked)).sort(), expected.sort());
});

t.test('a server that accepts connections but never responds times out', async (t) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  const { statements } = await makeTable();
  const directory = open(t, statements, { connectMs: 50 }, `postgres://u:secret@127.0.0.1:${address.port}/d`);
  t.match(await complaint(directory.findById(7)), /^the user database does not respond: [^:]*time-?out/i);
  t.notMatch(await complaint(directory.health()), /secret/);
});

t.test('the directory recovers after a database outage', async (t) => {
  const { statements } = await makeTable();
  const directory = open(t, statements);
  t.match(await directory.findById(7), { id: 7 });
  await t.resolves(directory.health());
  await server.stop();
  t.teardown(() => server.start());
  const asked: ((each: Directory) => Promise<unknown>)[] = [
    (each) => each.findById(7),
    (each) => each.findByEmail('ada@example.com'),
    (each) => each.saveHash?.(7, 'hash of ada', 'new') ?? Promise.resolve(),
    (each) => each.health(),
  ];
  for (const ask of asked) t.match(await complaint(ask(directory)), /^the user database does not respond: /);
  await server.start();
  t.match(await directory.findById(7), { id: 7, hash: 'hash of ada' });
  await t.resolves(directory.health());
});

t.test('a directory that was unavailable at the start is checked once it responds', async (t) => {
  const { statements } = await makeTable();
  const right = open(t, statements);
  const wrong = open(t, { ...statements, byId: 'SELECT now() AS id, $1 AS key' });
  await server.stop();
  t.teardown(() => server.start());
  await t.rejects(right.probe(), DirectoryUnavailableError);
  await t.rejects(wrong.probe(), DirectoryUnavailableError);
  await server.start();
  await t.resolves(right.health());
  const line =
    'USERS_BY_ID returns no column email, hash, disabled; USERS_BY_ID returns a column id that is neither a whole number nor a text';
  t.equal(await complaint(wrong.health()), line);
});

t.test('it may be closed twice, and fails afterwards', async (t) => {
  const { statements } = await makeTable();
  const directory = open(t, statements);
  await directory.findById(7);
  await Promise.all([directory.close(), directory.close()]);
  t.match(await complaint(directory.findById(7)), /^the user database does not respond/);
});

t.test(
  'behind PgBouncer neither start nor login fails because of a session limit or a prepared statement',
  { skip: process.env.PGBOUNCER === '' && 'PgBouncer is not installed' },
  async (t) => {
    for (const [name, settings] of Object.entries({
      'as it comes': {},
      'with the session limit ignored': { ignore_startup_parameters: 'statement_timeout' },
      'in session mode': { pool_mode: 'session', default_pool_size: '40' },
    })) {
      await t.test(name, async (t) => {
        const { statements } = await makeTable();
        const url = await startPgBouncer(t, server, settings);
        const directories = Array.from({ length: 4 }, () => open(t, statements, {}, url));
        for (const directory of directories) t.strictSame(await directory.probe(), []);
        for (let round = 0; round < 5; round++) {
          const found = await Promise.all(
            directories.flatMap((directory) => [
              directory.findByEmail('ada@example.com'),
              directory.findById(7),
              directory.saveHash?.(7, 'hash of ada', 'hash of ada'),
              directory.health(),
            ]),
          );
          const ada = { id: 7, email: 'Ada@Example.com', hash: 'hash of ada', disabled: false };
          t.strictSame(
            found,
            directories.flatMap(() => [ada, ada, true, undefined]),
          );
        }
      });
    }
  },
);

t.test(
  'a database outage behind PgBouncer was reported as wrong statements',
  { skip: process.env.PGBOUNCER === '' && 'PgBouncer is not installed' },
  async (t) => {
    const { statements } = await makeTable();
    const url = await startPgBouncer(t, server, { query_wait_timeout: '1', server_login_retry: '1' });
    const directory = open(t, statements, {}, url);
    await server.stop();
    t.teardown(() => server.start());
    const away = 'the user database does not respond: error 08P01';
    t.equal(await complaint(directory.probe()), away, 'at the start');
    t.equal(await complaint(directory.health()), away, 'and later');
    await server.start();
    await until(
      () =>
        directory.probe().then(
          (mistakes) => mistakes.length === 0,
          () => false,
        ),
      'PgBouncer connects again',
    );
  },
);
